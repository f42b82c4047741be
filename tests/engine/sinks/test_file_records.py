"""What was written into files comes back to the byte, from exactly what was written, and nothing else is ever touched."""

from __future__ import annotations

import json
import os
import signal
import stat
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from engine.build import NOW
from engine.patches.laws import edits_of, places
from hypothesis import given, settings
from hypothesis import strategies as st

from dscov.errors import CouldNotLook, DscovError, NotFound, Refused, Stale
from dscov.model.edits import TextEdit
from dscov.patches.manifest import edit_text
from dscov.sinks import file_records, files, state
from dscov.sinks.file_records import kept_files, take_back, undoing_files, write_kept

DATA = Path(__file__).parents[2] / "data"
CORPUS = [*sorted((DATA / "manifests").iterdir()), *sorted((DATA / "yaml").glob("*/in.yaml"))]
OLD = b"apiVersion: v1\nkind: List\nsecret: hunter2\nlist:\n- 'a' # first\n- b\n"
NEW = OLD.replace(b"- 'a' # first\n", b"")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "a.yaml").write_bytes(OLD)
    return folder / "a.yaml"


def written(path: Path, new: bytes = NEW, *more: TextEdit, minutes: float = 0, summary: str = "less") -> None:
    old = path.read_bytes() if path.exists() else None
    edits = [TextEdit(str(path), old, new), *more]
    assert write_kept(edits, summary=summary, now=NOW + timedelta(minutes=minutes)) == ""


def taken_back(path: Path) -> None:
    kept, record, _ = kept_files(str(path))[0]
    take_back(undoing_files(record))
    state.drop(kept)


def the_record() -> Path:
    (path,) = state.folder("files").glob("*.json")
    return path


def tampered(**fields: object) -> None:
    record = json.loads(the_record().read_text())
    record["pieces"][0].update(fields)
    the_record().write_text(json.dumps(record))


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# -- the way back ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, NEW),
        (NEW, OLD),
        (b"", b"x: 1\n"),
        (b"x: 1", b"x: 1\ny: 2"),
        (b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", b"\xef\xbb\xbfa: 1\r\n"),
        (b"aaaa", b"aaaaaa"),
        (b"aaaa", b"aa"),
        (b"\xff\x00\n", b"\x00\xff\n"),
    ],
)
def test_every_byte_comes_back(file: Path, old: bytes, new: bytes) -> None:
    file.write_bytes(old)
    written(file, new)
    assert file.read_bytes() == new
    taken_back(file)
    assert file.read_bytes() == old
    assert tree(file.parent) == {"a.yaml": old}
    assert kept_files(str(file)) == []


@settings(derandomize=True, max_examples=300)
@given(st.binary(max_size=12), st.binary(max_size=12), st.binary(max_size=12), st.binary(max_size=12))
def test_a_piece_is_the_region_that_differs(head: bytes, old: bytes, new: bytes, tail: bytes) -> None:
    before, after = head + old + tail, head + new + tail
    piece = file_records._piece(TextEdit("/x", before, after))
    assert after[: piece.at] + piece.old + after[piece.at + piece.size :] == before
    assert len(piece.old) <= len(old)
    if piece.old and piece.size:
        inserted = after[piece.at : piece.at + piece.size]
        assert piece.old[0] != inserted[0]
        assert piece.old[-1] != inserted[-1]


def test_every_kind_of_edit_on_a_corpus(file: Path) -> None:
    """Also what edits cannot put back: how the text that was taken out was written."""
    count = 0
    for source in CORPUS:
        raw = source.read_bytes()
        for number, (_, edit) in enumerate(every_edit(raw)):
            file.write_bytes(raw)
            written(file, edit(), minutes=number)
            taken_back(file)
            assert file.read_bytes() == raw, source
            count += 1
    assert count > 500
    assert list(state.folder("files").iterdir()) == []


def every_edit(raw: bytes) -> list[tuple[str, Callable[[], bytes]]]:
    """The changed texts of a file, one for each kind of edit that it takes."""
    found = []
    try:
        known = [(place, kind, edit) for place in places(raw) for kind, edit in edits_of(place)]
    except (DscovError, KeyError, TypeError, AttributeError, ValueError):
        return []
    for place, kind, edit in known:
        try:
            changed = place.source.encoded(edit_text(place, [edit]))
        except (Refused, NotFound):
            continue
        if changed != raw:
            found.append((kind, lambda changed=changed: changed))
    return found


def test_several_files_of_a_writing_belong_together(file: Path) -> None:
    fresh = file.with_name("fresh.yaml")
    written(file, NEW, TextEdit(str(fresh), None, b"made\n"))
    assert set(tree(file.parent)) == {"a.yaml", "fresh.yaml"}
    taken_back(fresh)
    assert tree(file.parent) == {"a.yaml": OLD}


def test_one_after_another_the_newest_first(file: Path) -> None:
    other = file.with_name("b.yaml")
    other.write_bytes(b"b: 1\n")
    written(file, NEW, minutes=1, summary="one")
    written(other, b"b: 2\n", minutes=2, summary="two")
    written(file, b"gone\n", minutes=3, summary="three")
    assert [(one.record.summary, one.changed) for one in kept_files(str(file.parent))] == [
        ("three", None),
        ("two", None),
        ("one", None),
    ]
    assert [one.record.summary for one in kept_files(str(file))] == ["three", "one"]
    assert [one.record.summary for one in kept_files(str(other))] == ["two"]
    assert kept_files(str(file.parent / "a.yam")) == kept_files(str(file.parent.parent / "rep")) == []
    for _ in range(3):
        taken_back(file.parent)
    assert tree(file.parent) == {"a.yaml": OLD, "b.yaml": b"b: 1\n"}


def test_back_and_forth(file: Path) -> None:
    """The opposite edit is a writing of its own."""
    written(file, NEW, minutes=1)
    written(file, OLD, minutes=2)
    for want in (NEW, OLD):
        taken_back(file)
        assert file.read_bytes() == want
    assert kept_files(str(file)) == []


@pytest.mark.parametrize("mode", [0o600, 0o444, 0o755])
def test_the_mode_stays(file: Path, mode: int) -> None:
    file.chmod(mode)
    written(file)
    taken_back(file)
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (OLD, mode)


@pytest.mark.parametrize(
    "name", ["a b\n\x1b[31m.yaml", "-rf", "ü\u202e.yaml", os.fsdecode(b"\xff\xfe.yaml"), "x" * 200]
)
def test_odd_names(file: Path, name: str) -> None:
    odd = file.with_name(name)
    odd.write_bytes(OLD)
    written(odd)
    assert the_record().parent == state.folder("files")
    taken_back(odd)
    assert odd.read_bytes() == OLD


# -- links ----------------------------------------------------------------------------------------------------------


def test_by_any_of_its_names(file: Path) -> None:
    link, folder = file.parent / "sub" / "link.yaml", file.parent.parent / "other"
    link.parent.mkdir()
    link.symlink_to("../a.yaml")
    folder.symlink_to("repo")
    written(folder / "sub" / "link.yaml")
    for name in (link, file, link.parent, file.parent, folder, folder / "a.yaml", folder / "sub"):
        assert len(kept_files(str(name))) == 1, name
    taken_back(link.parent)
    assert link.is_symlink()
    assert file.read_bytes() == OLD


def test_a_link_that_leads_elsewhere_now(file: Path) -> None:
    link, other = file.with_name("link.yaml"), file.with_name("other.yaml")
    other.write_bytes(b"other\n")
    link.symlink_to("a.yaml")
    written(link)
    link.unlink()
    link.symlink_to("other.yaml")
    with pytest.raises(Stale, match="was changed since"):
        taken_back(link)
    assert (file.read_bytes(), other.read_bytes()) == (NEW, b"other\n")


def test_a_loop_of_links(file: Path) -> None:
    file.unlink()
    file.symlink_to("a.yaml")
    assert kept_files(str(file)) == []


# -- what was changed since -----------------------------------------------------------------------------------------


def changed(file: Path) -> None:
    file.write_bytes(NEW + b"# mine\n")


def deleted(file: Path) -> None:
    file.unlink()


def moved(file: Path) -> None:
    file.rename(file.with_name("b.yaml"))


def folder_instead(file: Path) -> None:
    file.unlink()
    file.mkdir()


def pipe_instead(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def folder_gone(file: Path) -> None:
    file.parent.rename(file.parent.with_name("elsewhere"))


SINCE = {
    changed: "was changed since",
    deleted: "was deleted or moved since",
    moved: "was deleted or moved since",
    folder_gone: "was deleted or moved since",
    folder_instead: "no regular file any more",
    pipe_instead: "no regular file any more",
}


@pytest.mark.parametrize("since", SINCE)
def test_what_somebody_changed_since_is_left_alone(file: Path, since: Callable[[Path], None]) -> None:
    other = file.parent.parent / "other.yaml"
    other.write_bytes(OLD)
    written(other, NEW, TextEdit(str(file), OLD, NEW))
    since(file)
    before = tree(file.parent.parent)
    ((_, record, odd),) = kept_files(str(other))
    assert odd == file
    with pytest.raises(Stale, match=SINCE[since]) as refusal:
        undoing_files(record)
    assert str(file) in str(refusal.value)
    assert "git" in refusal.value.remedy
    assert tree(file.parent.parent) == before


@pytest.mark.parametrize("since", [changed, folder_instead, pipe_instead])
def test_a_file_that_was_made_and_changed_is_not_deleted(file: Path, since: Callable[[Path], None]) -> None:
    fresh = file.with_name("fresh.yaml")
    written(fresh, b"made\n")
    since(fresh)
    with pytest.raises(Stale):
        taken_back(fresh)
    assert os.path.lexists(fresh)


def test_a_link_in_place_of_a_file_that_was_made(file: Path) -> None:
    fresh = file.with_name("fresh.yaml")
    written(fresh, b"made\n")
    fresh.rename(file.with_name("kept.yaml"))
    fresh.symlink_to("kept.yaml")
    with pytest.raises(Stale):
        taken_back(fresh)
    assert fresh.read_bytes() == b"made\n"


def test_a_record_of_what_is_as_before_is_passed_over(file: Path) -> None:
    written(file, b"1\n", minutes=1, summary="one")
    written(file, NEW, minutes=2, summary="two")
    file.write_bytes(b"1\n")
    assert [one.record.summary for one in kept_files(str(file))] == ["one"]
    file.write_bytes(NEW)
    assert [one.record.summary for one in kept_files(str(file))] == ["two", "one"]


def test_what_changed_between_the_look_and_the_write(file: Path) -> None:
    fresh, other = file.with_name("fresh.yaml"), file.with_name("other.yaml")
    other.write_bytes(OLD)
    written(file, NEW, TextEdit(str(other), OLD, NEW), TextEdit(str(fresh), None, b"made\n"))
    ((_, record, _),) = kept_files(str(file))
    undoing = undoing_files(record)
    fresh.write_bytes(b"mine\n")
    before = tree(file.parent)
    with pytest.raises(Refused, match=r"fresh\.yaml: changed since"):
        take_back(undoing)
    assert tree(file.parent) == before
    other.write_bytes(b"mine too\n")
    with pytest.raises(Refused, match=r"other\.yaml: changed since"):
        take_back(undoing)
    assert file.read_bytes() == NEW


def test_what_was_deleted_comes_back_when_the_next_cannot_be(file: Path) -> None:
    one, two = file.with_name("one.yaml"), file.with_name("two.yaml")
    written(one, b"1\n", TextEdit(str(two), None, b"2\n"))
    ((_, record, _),) = kept_files(str(one))
    undoing = undoing_files(record)
    two.unlink()
    with pytest.raises(CouldNotLook, match="could not be deleted"):
        take_back(undoing)
    assert one.read_bytes() == b"1\n"


# -- killed, and failed ---------------------------------------------------------------------------------------------


def killed(work: Callable[[], object], monkeypatch: pytest.MonkeyPatch, *, at: int) -> None:
    """Do this in a process that is killed when it is about to put its file number `at` into its place."""
    child = os.fork()
    if child == 0:
        replace, count = Path.replace, iter(range(100))

        def deadly(self: Path, target: Path) -> Path:
            if next(count) == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return replace(self, target)

        monkeypatch.setattr(Path, "replace", deadly)
        work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) == (at < 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
@pytest.mark.parametrize("at", range(4))
def test_killed_while_it_writes(file: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """Before the record, before the first file, before the second, and not at all: undo leads back from each."""
    fresh = file.with_name("fresh.yaml")
    killed(lambda: written(file, NEW, TextEdit(str(fresh), None, b"made\n")), monkeypatch, at=at)
    found = kept_files(str(file.parent))
    assert bool(found) == (at >= 2)
    if found:
        taken_back(file.parent)
    strays = {name: raw for name, raw in tree(file.parent).items() if not name.endswith(".dscov-tmp")}
    assert strays == {"a.yaml": OLD}
    # What stands for nothing does no harm to the next writing.
    written(file, minutes=9)
    taken_back(file)
    assert file.read_bytes() == OLD
    assert kept_files(str(file)) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
@pytest.mark.parametrize("at", [0, 1, 2])
def test_killed_while_it_takes_back(file: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    others = [file.with_name(name) for name in ("b.yaml", "c.yaml")]
    for other in others:
        other.write_bytes(OLD)
    written(file, NEW, *(TextEdit(str(other), OLD, NEW) for other in others))
    killed(lambda: taken_back(file), monkeypatch, at=at)
    taken_back(file)
    assert all(path.read_bytes() == OLD for path in (file, *others))


def test_a_writing_that_was_refused_leaves_no_record(file: Path) -> None:
    with pytest.raises(Refused, match="changed since it was read"):
        write_kept([TextEdit(str(file), b"not this\n", NEW)], summary="", now=NOW)
    assert list(state.folder("files").iterdir()) == []


def test_the_record_of_half_a_writing_stays(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = file.with_name("b.yaml")
    other.write_bytes(OLD)
    replace = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if Path(target).name == "b.yaml":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(CouldNotLook, match="No space"):
        written(file, NEW, TextEdit(str(other), OLD, NEW))
    monkeypatch.setattr(Path, "replace", replace)
    assert (file.read_bytes(), other.read_bytes()) == (NEW, OLD)
    taken_back(file.parent)
    assert tree(file.parent) == {"a.yaml": OLD, "b.yaml": OLD}


# -- the records ----------------------------------------------------------------------------------------------------


def test_only_its_owner_may_read_it_and_no_more_is_kept_than_needed(file: Path) -> None:
    written(file)
    path = the_record()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    ((_, record, _),) = kept_files(str(file))
    assert [piece.old for piece in record.pieces] == [b"'a' # first\n- "]
    assert b"hunter2" not in path.read_bytes()


def test_old_ones_go(file: Path) -> None:
    for number in range(state.KEPT + 5):
        written(file, b"%d\n" % number, minutes=number)
    assert len(kept_files(str(file))) == state.KEPT
    for _ in range(state.KEPT):
        taken_back(file)
    assert file.read_bytes() == b"4\n"


@pytest.mark.parametrize("place", ["file", "nowhere"])
def test_without_a_place_for_records_it_still_writes(
    file: Path, tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file") if place == "file" else "")
    if place == "nowhere":
        monkeypatch.delenv("HOME", raising=False)
        monkeypatch.setattr(Path, "home", homeless)
    problem = write_kept([TextEdit(str(file), OLD, NEW)], summary="", now=datetime.now(UTC))
    assert ("cannot be kept: Not a directory" if place == "file" else "no home folder") in problem
    assert file.read_bytes() == NEW


def homeless() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_without_a_home_undo_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(CouldNotLook, match="no home folder"):
        kept_files("x")


def test_a_folder_that_cannot_be_read_is_not_an_empty_one(file: Path) -> None:
    assert list(state.read(file / "none", file_records.FileRecord)) == []
    assert list(state.read(file.parent / "none", file_records.FileRecord)) == []
    with pytest.raises(CouldNotLook, match="File name too long"):
        list(state.read(file.parent / ("x" * 300), file_records.FileRecord))


@pytest.mark.parametrize(
    "fields",
    [
        {"old": "ZXZpbA=="},
        {"at": 0},
        {"at": -5},
        {"at": 10**12},
        {"size": 10**6},
        {"size": -1},
        {"before": "0" * 64},
        {"before": ""},
    ],
    ids=str,
)
def test_a_record_that_does_not_hold_writes_nothing(file: Path, fields: dict[str, object]) -> None:
    written(file)
    tampered(**fields)
    ((_, record, _),) = kept_files(str(file))
    with pytest.raises(Refused, match="damaged"):
        undoing_files(record)
    assert tree(file.parent) == {"a.yaml": NEW}


def test_a_record_that_calls_a_file_made_deletes_only_what_was_written(file: Path) -> None:
    """The worst that a record can do is shown and asked for: the file is what the record says it is."""
    written(file)
    tampered(before=None, after="0" * 64)
    ((_, record, odd),) = kept_files(str(file))
    assert odd == file
    with pytest.raises(Stale):
        undoing_files(record)
    assert file.read_bytes() == NEW


@pytest.mark.parametrize(
    "path", ["", "a.yaml", "../repo/a.yaml", "{}/../{}/a.yaml", "{}/a.yaml\0", "/" + "x" * 5000, "/dev/zero"]
)
def test_a_path_that_is_none_is_passed_over(file: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    written(file)
    tampered(path=b64encode(path.replace("{}", str(file.parent)).encode()).decode())
    assert kept_files(str(file)) == []
    # What is below that folder is named as changed, without being read.
    assert [str(one.changed) for one in kept_files("/dev")] == ["/dev/zero"] * (path == "/dev/zero")
    assert file.read_bytes() == NEW


def test_a_path_that_leads_out_of_the_folder_it_names(file: Path) -> None:
    written(file)
    outside = file.parent.parent / "outside.yaml"
    outside.write_bytes(NEW)
    tampered(path=b64encode(f"{file.parent}/../outside.yaml".encode()).decode())
    assert kept_files(str(file.parent)) == kept_files(str(outside)) == []


def test_the_same_file_twice_is_passed_over(file: Path) -> None:
    written(file)
    record = json.loads(the_record().read_text())
    record["pieces"] *= 2
    the_record().write_text(json.dumps(record))
    assert kept_files(str(file)) == []


def test_broken_and_foreign_records_are_passed_over(file: Path) -> None:
    written(file)
    path = the_record()
    text = path.read_text()
    hostile = ["{", "[" * 100_000, "", "null", text.replace("WrittenFiles", "AppliedFix"), text.replace("v1", "v2")]
    hostile += [text.replace('"pieces": [', '"pieces": [], "x": ['), text.replace('"at": ', '"at": "no", "x": ', 1)]
    for number, raw in enumerate(hostile):
        path.with_name(f"9{number}.json").write_text(raw)
    path.with_name("991.json").write_bytes(b"\xff")
    path.with_name("992.json").symlink_to("/dev/zero")
    path.with_name("993.json").mkdir()
    os.mkfifo(path.with_name("994.json"))
    assert [one.kept for one in kept_files(str(file))] == [path]
    taken_back(file)
    assert file.read_bytes() == OLD


# -- deleting -------------------------------------------------------------------------------------------------------


def test_remove_checks_what_it_deletes(file: Path) -> None:
    link = file.with_name("link")
    link.symlink_to("a.yaml")
    for path, content in ((file, NEW), (link, OLD)):
        with pytest.raises(Refused, match="changed since"):
            files.remove(str(path), content)
    with pytest.raises(CouldNotLook, match="No such file"):
        files.remove(str(file.with_name("none")), OLD)
    files.remove(str(file), OLD)
    assert not file.exists()


def test_a_record_that_claims_the_file_was_made_deletes_nothing_else(file: Path) -> None:
    written(file)
    tampered(before=None)
    with pytest.raises(Refused, match="damaged"):
        undoing_files(kept_files(str(file))[0].record)
    assert file.read_bytes() == NEW
