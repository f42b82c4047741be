"""Broken saved clusters through the command: no traceback, an exit code that says so, and a message that says where."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance.command import run
from fuzz.broken import HOSTILE, cuts, hostile_names, mutated
from fuzz.clusters import (
    NOW,
    as_gzip,
    as_json,
    as_tar,
    as_yaml,
    case,
    clusters,
    everything,
    in_files,
    small,
    write_folder,
)
from fuzz.judge import RAW, faults

FORMS = ("json", "table", "wide", "markdown", "yaml", "name")
BATCHES = 20
MUTANTS = 4000
ORDINARY = "502-lost-node-blocks-rollout"
SHOWN = 8


def diagnose(path: Path | str, output: str, stdin: bytes = b"") -> Any:
    return run(["diagnose", "-A", "--from", str(path), "--now", NOW, "-o", output], stdin)


def complaints(path: Path, name: str, output: str) -> list[str]:
    """What is wrong with the answer about a path; an error that escapes is a complaint too."""
    try:
        return faults(diagnose(path, output), name, output)
    except Exception as escaped:
        return [f"{type(escaped).__name__} escaped: {str(escaped)[:200]}"]


def assert_none(found: list[str]) -> None:
    assert not found, f"{len(found)} wrong answers:\n" + "\n".join(found[:SHOWN])


def test_the_clusters_are_whole_before_they_are_broken(tmp_path: Path) -> None:
    for number, document in enumerate(clusters()):
        path = tmp_path / f"whole-{number}.json"
        path.write_bytes(as_json(document))
        assert diagnose(path, "json").code in {0, 1}


# --- truncated files ---------------------------------------------------------------------------------------------


def truncated(folder: Path, name: str, content: bytes) -> list[str]:
    found = []
    for number, size in enumerate(cuts(len(content))):
        path = folder / f"cut-{number}-{name}"
        path.write_bytes(content[:size])
        output = FORMS[number % len(FORMS)]
        found += [f"cut at {size}, -o {output}: {text}" for text in complaints(path, path.name, output)]
    return found


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("cluster.json", as_json),
        ("cluster.yaml", as_yaml),
        ("cluster.json.gz", lambda document: as_gzip(as_json(document))),
        ("cluster.yaml.gz", lambda document: as_gzip(as_yaml(document))),
        ("cluster.tar.gz", lambda document: as_tar(in_files(document))),
    ],
)
def test_truncated(name: str, make: Callable[[dict[str, Any]], bytes], tmp_path: Path) -> None:
    assert_none(truncated(tmp_path, name, make(small())))


def test_truncated_file_in_a_folder(tmp_path: Path) -> None:
    files = in_files(small())
    found = []
    for number, (name, content) in enumerate(sorted(files.items())):
        for size in cuts(len(content), 200 // len(files) + 1):
            folder = write_folder(tmp_path / f"{number}-{size}", {**files, name: content[:size]})
            output = FORMS[size % len(FORMS)]
            found += [
                f"{name} cut at {size}, -o {output}: {text}" for text in complaints(folder, Path(name).name, output)
            ]
    assert_none(found)


def test_truncated_json_is_no_report_and_names_file_and_line(tmp_path: Path) -> None:
    """A List that ends before its last brace can never pass for a whole one."""
    content = as_json(case(ORDINARY)).rstrip()
    for size in cuts(len(content))[1:]:
        path = tmp_path / "cut.json"
        path.write_bytes(content[:size])
        result = diagnose(path, "json")
        assert result.code in {2, 3}, f"cut at {size}"
        last = content[:size].count(b"\n") + 1
        assert re.search(rf"cut\.json:({last}|{max(1, last - 1)})\b", result.stderr), f"cut at {size}: {result.stderr}"


def test_yaml_that_is_none_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("apiVersion: v1\nkind: List\nitems:\n- kind: Node\n  metadata: {name: [\n")
    result = diagnose(path, "json")
    assert result.code in {2, 3}
    assert re.search(r"broken\.yaml:[3-6]\b", result.stderr), result.stderr


@pytest.mark.parametrize("make", [as_json, as_yaml], ids=["json", "yaml"])
def test_truncated_standard_input(make: Callable[[dict[str, Any]], bytes]) -> None:
    content = make(small())
    found = []
    for size in cuts(len(content), 20):
        found += faults(diagnose("-", "json", content[:size]), "", "json")
    assert_none(found)


# --- mutated snapshots -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", range(BATCHES))
def test_mutated(batch: int, tmp_path: Path) -> None:
    found = []
    whole = everything()
    for seed in range(batch, MUTANTS, BATCHES):
        output = FORMS[seed // BATCHES % len(FORMS)]
        path = tmp_path / f"mutant-{seed}.json"
        path.write_bytes(as_json(mutated(whole[seed % len(whole)], seed)))
        found += [f"seed {seed}, -o {output}: {text}" for text in complaints(path, path.name, output)]
    assert_none(found)


@pytest.mark.parametrize("output", FORMS)
@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_names(number: int, output: str, tmp_path: Path) -> None:
    found = []
    for position, document in enumerate(clusters()):
        path = tmp_path / f"hostile-{position}.json"
        path.write_bytes(as_json(hostile_names(document, HOSTILE[number])))
        found += [f"cluster {position}: {text}" for text in complaints(path, path.name, output)]
    assert_none(found)


def test_json_carries_hostile_names_unchanged(tmp_path: Path) -> None:
    """Machine output does not rewrite names: what JSON can say, it says exactly."""
    path = tmp_path / "hostile.json"
    path.write_bytes(as_json(hostile_names(case(ORDINARY), HOSTILE[0])))
    report = diagnose(path, "json").report
    assert {found["name"] for found in report["daemonsets"]} == {"node-exporter" + HOSTILE[0]}


def test_a_path_with_control_characters_is_escaped_in_the_message(tmp_path: Path) -> None:
    path = tmp_path / "evil\x1b[31m\nINJECTED.json"
    path.write_text("{")
    result = diagnose(path, "json")
    assert result.code in {2, 3}
    assert not RAW.search(result.stderr)
    assert "\nINJECTED" not in result.stderr


# --- files that are something else -------------------------------------------------------------------------------

OTHERS = {
    "empty.json": b"",
    "blank.yaml": b"\n\n# nothing\n",
    "null.json": b"null",
    "number.json": b"42",
    "text.json": b'"text"',
    "array.json": b"[1, [2], null]",
    "nan.json": b'{"kind": "List", "items": [NaN]}',
    "object.json": b'{"kind": "List"}',
    "items.json": b'{"kind": "List", "items": {"a": 1}}',
    "binary.json": bytes(range(256)) * 20,
    "latin1.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: é}\n".encode("latin-1"),
    "utf16.json": '{"kind": "List", "items": []}'.encode("utf-16"),
    "deep.json": b"[" * 200_000,
    "deep.yaml": b"[" * 20_000,
    "deep-object.json": b'{"kind":"List","items":[' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"]}",
    "wrong.gz": b"\x1f\x8b\x08\x00not compressed at all",
    "wrong.tar.gz": as_gzip(b"no archive"),
    "zip.json": b"PK\x03\x04" + b"\x00" * 200,
    "tag.yaml": b"!!python/object/apply:os.system ['exit 7']\n",
    "tabs.yaml": b"kind:\tNode\n\tmetadata: x\n",
    "duplicate.yaml": b"kind: Node\nkind: Pod\nmetadata: {name: a}\n",
    "keys.yaml": b"? [a, b]\n: 1\n1: 2\nnull: 3\n2026-01-01: 4\n",
    "anchor.yaml": b"a: &a [*a]\n",
}


@pytest.mark.parametrize("output", ["json", "table"])
@pytest.mark.parametrize("name", OTHERS)
def test_a_file_that_is_something_else(name: str, output: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(OTHERS[name])
    assert_none(complaints(path, name, output))


@pytest.mark.parametrize("name", ["../outside.json", "/outside.json", "link.json"])
def test_an_archive_that_reaches_outside(name: str, tmp_path: Path) -> None:
    path = tmp_path / "archive.tar.gz"
    path.write_bytes(as_tar({name: as_json(case(ORDINARY))}))
    assert_none(complaints(path, path.name, "json"))
    assert sorted(found.name for found in tmp_path.iterdir()) == ["archive.tar.gz"]


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.json"
    assert diagnose(path, "json").code in {2, 3}
    assert_none(complaints(path, path.name, "json"))


def test_an_empty_folder(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    assert diagnose(folder, "json").code in {2, 3}
    assert_none(complaints(folder, "empty", "json"))


# --- a sample as real processes ----------------------------------------------------------------------------------

BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (letter, letter, b",".join([b"*%c" % (letter - 1)] * 9)) for letter in range(ord("b"), ord("k"))
)


def in_a_process(path: Path, output: str) -> list[str]:
    from conformance.command import Result

    args = [sys.executable, "-m", "kubectl_dscov", "diagnose", "-A", "--from", str(path), "--now", NOW, "-o", output]
    done = subprocess.run(args, capture_output=True, timeout=60, check=False)
    out, err = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
    return faults(Result(done.returncode, out, err), path.name, output)


def test_a_sample_in_real_processes(tmp_path: Path) -> None:
    found = []
    whole = clusters()
    for seed in range(0, MUTANTS, MUTANTS // 20):
        output = FORMS[seed // 100 % len(FORMS)]
        path = tmp_path / f"mutant-{seed}.json"
        path.write_bytes(as_json(mutated(whole[seed % len(whole)], seed)))
        found += [f"seed {seed}, -o {output}: {text}" for text in in_a_process(path, output)]
    assert_none(found)


@pytest.mark.parametrize("output", ["json", "table"])
def test_names_that_cannot_be_encoded_in_a_real_process(output: str, tmp_path: Path) -> None:
    path = tmp_path / "surrogate.json"
    path.write_bytes(as_json(hostile_names(case(ORDINARY), "\ud800")))
    assert_none(in_a_process(path, output))


def test_a_bomb_of_aliases_ends_soon(tmp_path: Path) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_bytes(BOMB)
    assert_none(in_a_process(path, "json"))


def test_a_whole_report_is_strict_json(tmp_path: Path) -> None:
    path = tmp_path / "whole.json"
    path.write_bytes(as_json(case(ORDINARY)))
    assert json.loads(diagnose(path, "json").stdout)["kind"] == "CoverageReport"
