"""Broken and odd files through the real command line: never a wrong write, never a traceback.

DSCOV_MUTATIONS sets how many files are tried; 50,000 were for the record.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from engine.patches.laws import edits_of, judged, places

from dscov.errors import DscovError
from dscov.model.edits import Edit
from dscov.patches.manifest import Place
from kubectl_dscov.cli import run

DATA = Path(__file__).parents[1] / "data"
TOLERATION = {"key": "example.com/dedicated", "operator": "Exists", "effect": "NoSchedule"}
SEEDS = sorted([*DATA.glob("yaml/*/in.yaml"), *DATA.glob("manifests/*.*")])
COUNT = int(os.environ.get("DSCOV_MUTATIONS", "600"))


class Independent(yaml.SafeLoader):
    """A reader of YAML that shares nothing with the engine."""


def load(raw: bytes) -> list:
    return list(yaml.load_all(raw.decode("utf-8-sig"), Independent))


def mutated(raw: bytes, dice: random.Random) -> bytes:
    """`raw` with one to three faults: bytes flipped, put in or out, lines cut, doubled, joined, swapped, re-indented."""
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        lines = raw.split(b"\n")
        at = dice.randrange(len(lines))
        match dice.randrange(10):
            case 0:
                place = dice.randrange(len(raw) or 1)
                raw = raw[:place] + bytes([dice.randrange(256)]) + raw[place + 1 :]
            case 1:
                place = dice.randrange(len(raw) + 1)
                raw = raw[:place] + dice.choice(b" \t:-?&*!|>{}[],#\"'%@`~\r\n<=.0").to_bytes() + raw[place:]
            case 2:
                raw = b"\n".join(lines[:at] + lines[at + 1 :])
            case 3:
                raw = b"\n".join([*lines[: at + 1], *lines[at:]])
            case 4:
                raw = b"\n".join(lines[:at]) + b" " + b"\n".join(lines[at:])
            case 5:
                lines[at] = b" " * dice.randrange(9) + lines[at].lstrip(b" ")
                raw = b"\n".join(lines)
            case 6:
                other = dice.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
                raw = b"\n".join(lines)
            case 7:
                raw = raw[: dice.randrange(len(raw) or 1)]
            case 8:
                words = [
                    b"{{ x }}",
                    b"<<: *a",
                    b"&a ",
                    b"*a",
                    b"- ",
                    b"? ",
                    b"|+",
                    b">-",
                    b"---",
                    b"...",
                    b"!!str ",
                    b"# ",
                    b"null",
                ]
                lines[at] = dice.choice([lines[at] + dice.choice(words), dice.choice(words) + lines[at]])
                raw = b"\n".join(lines)
            case 9:
                raw = (
                    raw.replace(b"\n", b"\r\n")
                    if dice.random() < 0.5
                    else raw.replace(b"  ", b" ", dice.randrange(1, 9))
                )
    return raw


def is_subsequence(old: bytes, new: bytes) -> bool:
    rest = iter(new)
    return all(byte in rest for byte in old)


def patches(document: dict) -> list:
    """The JSON patches of a kustomization."""
    entries = document.get("patches") if document.get("kind") == "Kustomization" else None
    held = [entry.get("patch") for entry in entries or [] if isinstance(entry, dict)]
    return [one for one in held if isinstance(one, list)]


def sets_tolerations(step: object) -> bool:
    return isinstance(step, dict) and str(step.get("path")).endswith("/spec/tolerations") and "value" in step


def unfolded(document: object) -> object:
    """A kustomization with its inline patches read."""
    if isinstance(document, dict) and isinstance(document.get("patches"), list):
        for entry in document["patches"]:
            if isinstance(entry, dict) and isinstance(entry.get("patch"), str):
                with contextlib.suppress(yaml.YAMLError):
                    entry["patch"] = yaml.load(entry["patch"], Independent)
    return document


def append(spec: dict) -> None:
    spec["tolerations"] = (spec.get("tolerations") or []) + [TOLERATION]


def select(spec: dict) -> None:
    spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), "example.com/pool": "a"}


def require(spec: dict) -> None:
    for name in ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"):
        if not spec.get(name):
            spec[name] = {}
        spec = spec[name]
    new = {"key": "example.com/pool", "operator": "Exists"}
    if not spec.get("nodeSelectorTerms"):
        spec["nodeSelectorTerms"] = [{"matchExpressions": [new]}]
        return
    # A term without any expression selects no node, and is left so.
    for term in (term for term in spec["nodeSelectorTerms"] if any(term.values())):
        term["matchExpressions"] = (term.get("matchExpressions") or []) + [new]


def prioritise(spec: dict) -> None:
    spec["priorityClassName"] = "example-high"


#: the flags -> what they do to a pod spec
EDITS = {
    ("--add-toleration", "example.com/dedicated:NoSchedule"): append,
    ("--set-selector", "example.com/pool=a"): select,
    ("--add-affinity", "example.com/pool"): require,
    ("--set-priority-class", "example-high"): prioritise,
}


def expected(raw: bytes, edit: Callable[[dict], None]) -> list | None:
    """The data with `edit` done to the only DaemonSet; None where the independent reader cannot say."""
    try:
        documents = load(raw)
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    documents, found = [unfolded(document) for document in documents], []
    for document in documents:
        if not isinstance(document, dict):
            continue
        found += [
            one
            for one in [document, *(document.get("items") or [])]
            if isinstance(one, dict) and one.get("kind") == "DaemonSet"
        ]
        found += [step for patch in patches(document) for step in patch if sets_tolerations(step)]
    if len(found) != 1:
        return None
    if "op" in found[0]:
        found[0]["value"] = (found[0]["value"] or []) + [TOLERATION]
        return documents
    try:
        edit(found[0]["spec"]["template"]["spec"])
    except (KeyError, TypeError, AttributeError):
        return None
    return documents


def check(raw: bytes, folder: Path, flags: tuple[str, str] = next(iter(EDITS))) -> str:
    """Run the command on a file with these bytes and say how it went; AssertionError where it went wrong."""
    file = folder / "in.yaml"
    file.write_bytes(raw)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(["fix", "-f", str(file), *flags, "--yes", "--offline"])
    after = file.read_bytes()
    assert code in (0, 2, 3, 4), f"exit {code}: {raw!r}"
    assert "Traceback" not in err.getvalue()
    assert list(folder.iterdir()) == [file]
    if code or after == raw:
        assert after == raw, f"written and exit {code}: {raw!r}"
        return "refused" if code else "nothing to do"
    want = expected(raw, EDITS[flags])
    if want is None:
        return "written, second reader cannot say"
    assert [unfolded(document) for document in load(after)] == want, f"wrong write: {raw!r}"
    if not any(word in raw for word in (b"null", b"~", b"{}", b"priorityClassName")):
        assert is_subsequence(raw, after), f"bytes lost: {raw!r}"
    return "written"


@pytest.mark.parametrize("flags", EDITS, ids=lambda flags: flags[0])
def test_mutated_files(flags: tuple[str, str], tmp_path: Path) -> None:
    dice = random.Random(f"mutations {flags}")
    seen = [check(mutated(dice.choice(SEEDS).read_bytes(), dice), tmp_path, flags) for _ in range(COUNT // len(EDITS))]
    assert seen.count("written") > len(seen) // 20
    assert seen.count("refused") > len(seen) // 20


def test_every_kind_of_edit_on_mutated_files() -> None:
    """Done and undone in the engine: refused, or right, and never another error."""
    dice = random.Random("every kind")
    seen: Counter[str] = Counter()
    for _ in range(max(COUNT // 8, 60)):
        raw = mutated(dice.choice(SEEDS).read_bytes(), dice)
        try:
            found = places(raw)
        except DscovError:
            continue
        for place in found[:1]:
            edits: list[Edit] = []
            # What has no pod spec, or one of another shape, has no list of edits.
            with contextlib.suppress(AttributeError, KeyError, TypeError, ValueError):
                edits = [edit for _, edit in edits_of(place)]
            if edits:
                seen[outcome(raw, place, dice.choice(edits))] += 1
    assert seen["bytes"] > 10
    assert seen["none"] + seen["meaning"] > 3


def outcome(raw: bytes, place: Place, edit: Edit) -> str:
    try:
        list(yaml.compose_all(raw.decode("utf-8-sig"), Independent))
    except (yaml.YAMLError, ValueError):
        return "second reader cannot say"
    found = judged(raw, place, edit)
    assert not found.fault, (found.fault, edit, raw)
    return found.back
