"""One cluster in every form in which it can be saved gives one answer; classes of nodes answer as single nodes do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance.command import diagnose, pairs, run
from conformance.world import crossed
from fuzz.clusters import NOW, as_gzip, as_json, as_tar, as_yaml, case, in_files, write_folder

import dscov

CASES = ("105-toleration-seconds-churn", "404-critical-priority-quota", "502-lost-node-blocks-rollout")


def file(name: str, make: Callable[[dict[str, Any]], bytes]) -> Callable[[Path, dict[str, Any]], Path]:
    def write(folder: Path, document: dict[str, Any]) -> Path:
        (folder / name).write_bytes(make(document))
        return folder / name

    return write


def compact(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def one_a_line(document: dict[str, Any]) -> bytes:
    return b"\n".join(compact(item) for item in document["items"]) + b"\n"


def typed_lists(document: dict[str, Any]) -> dict[str, bytes]:
    """One list a kind, as `kubectl cluster-info dump` has them: the items carry neither kind nor apiVersion."""
    made = {}
    for kind in sorted({item["kind"] for item in document["items"]}):
        items = [item for item in document["items"] if item["kind"] == kind]
        bare = [{key: value for key, value in item.items() if key not in {"kind", "apiVersion"}} for item in items]
        whole = {"kind": f"{kind}List", "apiVersion": items[0]["apiVersion"], "metadata": {}, "items": bare}
        made[f"{kind.lower()}s.json"] = compact(whole)
    return made


FORMS: dict[str, Callable[[Path, dict[str, Any]], Path]] = {
    "compact JSON": file("cluster.json", compact),
    "one object a line": file("cluster.json", one_a_line),
    "YAML documents": file("cluster.yaml", as_yaml),
    "a YAML list": file("cluster.yml", lambda document: b"---\n" + as_yaml({"items": [document]})),
    "JSON under a YAML name": file("cluster.yaml", as_json),
    "gzipped JSON": file("cluster.json.gz", lambda document: as_gzip(as_json(document))),
    "gzipped YAML": file("cluster.yaml.gz", lambda document: as_gzip(as_yaml(document))),
    "gzip without the name": file("cluster.json", lambda document: as_gzip(as_json(document))),
    "an archive": file("cluster.tar.gz", lambda document: as_tar(in_files(document))),
    "a folder": lambda folder, document: write_folder(folder, in_files(document)),
    "lists of a kind": lambda folder, document: write_folder(folder, typed_lists(document)),
    "BOM and CRLF": file("cluster.yaml", lambda document: b"\xef\xbb\xbf" + as_yaml(document).replace(b"\n", b"\r\n")),
}


def answer(path: Path) -> dict[str, Any]:
    report = diagnose(path, NOW)
    return {key: report[key] for key in ("summary", "daemonsets")}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_answer(form: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "other").mkdir()
    want = answer(file("cluster.json", as_json)(tmp_path / "plain", case(name)))
    assert want["daemonsets"]
    assert answer(FORMS[form](tmp_path / "other", case(name))) == want


@pytest.mark.parametrize(
    "make", [as_json, as_yaml, lambda document: as_gzip(as_json(document))], ids=["json", "yaml", "gz"]
)
def test_standard_input_gives_the_same_answer(make: Callable[[dict[str, Any]], bytes], tmp_path: Path) -> None:
    path = file("cluster.json", as_json)(tmp_path, case(CASES[0]))
    result = run(["diagnose", "-A", "--from", "-", "--now", NOW, "-o", "json"], make(case(CASES[0])))
    assert {key: result.report[key] for key in ("summary", "daemonsets")} == answer(path)


def test_the_order_of_the_objects_does_not_matter(tmp_path: Path) -> None:
    document = case(CASES[0])
    path = file("cluster.json", as_json)(tmp_path, document)
    want = answer(path)
    path.write_bytes(as_json({**document, "items": document["items"][::-1]}))
    assert answer(path) == want


@pytest.mark.parametrize("start", range(0, 3000, 500))
def test_every_node_with_every_daemonset(start: int, tmp_path: Path) -> None:
    """Whatever the report shares between nodes of a class, it says of each what the oracle says of it alone."""
    document = crossed(start, 60)
    path = file("cluster.json", as_json)(tmp_path, document)
    got = {
        pair: (found["shouldRun"], found["shouldContinueRunning"]) for pair, found in pairs(diagnose(path, NOW)).items()
    }
    nodes = [item for item in document["items"] if item["kind"] == "Node"]
    want = {}
    for daemonset in (item for item in document["items"] if item["kind"] == "DaemonSet"):
        for node in nodes:
            answer = dscov.placement(daemonset, node)
            key = f"default/{daemonset['metadata']['name']}", node["metadata"]["name"]
            want[key] = (answer.should_run, answer.should_continue_running)
    assert got == want
