"""Writing: whole or not at all, with mode, owner and links kept, and never over a file that moved."""

from __future__ import annotations

import os
import random
import signal
import stat
import time
from pathlib import Path

import pytest

from dscov.errors import CouldNotLook, Refused
from dscov.model.edits import TextEdit
from dscov.sinks import files
from dscov.sinks.files import write

OLD, NEW = b"old\n" * 60_000, b"new\n" * 90_000
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX file modes and signals")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.yaml"
    path.write_bytes(OLD)
    return path


def edit(path: Path, old: bytes | None = OLD, new: bytes = NEW) -> TextEdit:
    return TextEdit(str(path), old, new)


def test_writes_and_leaves_nothing_beside(file: Path) -> None:
    write([edit(file)])
    assert file.read_bytes() == NEW
    assert list(file.parent.iterdir()) == [file]


@posix
@pytest.mark.parametrize("name", ["a" * 250 + ".yaml", "ä" * 125 + ".yaml"])
def test_names_as_long_as_they_may_be(file: Path, name: str) -> None:
    long = file.with_name(name)
    write([edit(long, None, OLD)])
    stray = file.with_name(f".{os.fsdecode(os.fsencode(name)[:200])}.x.dscov-tmp")
    stray.touch()
    write([edit(long)])
    assert long.read_bytes() == NEW
    assert set(file.parent.iterdir()) == {file, long}


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_mode_is_kept(file: Path, mode: int) -> None:
    file.chmod(mode)
    write([edit(file)])
    assert stat.S_IMODE(file.stat().st_mode) == mode


@posix
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_owner_is_kept(file: Path) -> None:
    os.chown(file, 12345, 23456)
    write([edit(file)])
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 23456)


@posix
def test_a_symbolic_link_stays_one(file: Path) -> None:
    link = file.parent / "link.yaml"
    link.symlink_to("a.yaml")
    write([edit(link)])
    assert link.is_symlink()
    assert file.read_bytes() == NEW


@posix
def test_a_hard_link_is_not_parted(file: Path) -> None:
    (file.parent / "b.yaml").hardlink_to(file)
    with pytest.raises(Refused, match="2 hard links"):
        write([edit(file)])
    assert (file.parent / "b.yaml").read_bytes() == file.read_bytes() == OLD


def test_a_file_that_changed_is_refused(file: Path) -> None:
    file.write_bytes(b"someone else was here\n")
    with pytest.raises(Refused, match="changed since it was read"):
        write([edit(file)])
    assert file.read_bytes() == b"someone else was here\n"


def test_a_file_that_went_is_refused(file: Path) -> None:
    file.unlink()
    with pytest.raises(Refused, match="No such file"):
        write([edit(file)])


def test_a_new_file_is_not_written_over_another(file: Path) -> None:
    with pytest.raises(Refused, match="is there already"):
        write([edit(file, old=None)])
    assert file.read_bytes() == OLD


def test_all_are_checked_before_the_first_is_written(file: Path) -> None:
    fresh = file.parent / "fresh.yaml"
    with pytest.raises(Refused):
        write([edit(fresh, old=None), edit(file, old=b"not this\n")])
    assert not fresh.exists()


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_fault_halfway_undoes_new_files(file: Path, fault: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = file.parent / "fresh.yaml"
    replace = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if Path(target).name == "a.yaml":
            raise fault
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(CouldNotLook if isinstance(fault, OSError) else KeyboardInterrupt):
        write([edit(fresh, old=None), edit(file)])
    assert list(file.parent.iterdir()) == [file]
    assert file.read_bytes() == OLD


@posix
def test_killed_at_any_moment_leaves_the_old_or_the_new(file: Path) -> None:
    """200 writers are killed while they write; the file is always whole, and the next run takes away what they left."""
    dice = random.Random("kill")
    strays = 0
    for _ in range(200):
        child = os.fork()
        if child == 0:
            while True:
                now = file.read_bytes()
                write([edit(file, now, NEW if now == OLD else OLD)])
        time.sleep(dice.uniform(0.001, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert file.read_bytes() in (OLD, NEW)
        strays += len(list(file.parent.iterdir())) - 1
    assert strays
    write([edit(file, file.read_bytes(), b"end\n")])
    assert list(file.parent.iterdir()) == [file]
    assert file.read_bytes() == b"end\n"


@posix
def test_the_temporary_file_of_a_run_that_lives_is_left_alone(file: Path) -> None:
    with files._beside(file) as (_, temporary):
        write([edit(file)])
        assert temporary.exists()
    assert list(file.parent.iterdir()) == [file]
