"""The saved clusters that get broken: small, and between them with every kind of object and state."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

from conformance.tables import DATA, lines
from conformance.world import world
from engine.build import crashing, pod
from engine.surges import DS, PORTS, TAKEN, beside, crowded
from engine.waiting import left

NOW = "2026-05-12T09:30:00Z"
CASES = (
    "105-toleration-seconds-churn",
    "202-label-value-empty-vs-true",
    "206-terms-ored",
    "306-host-process-has-port",
    "404-critical-priority-quota",
    "502-lost-node-blocks-rollout",
    "601-controller-manager-down",
)


@cache
def case(name: str) -> dict[str, Any]:
    """One of the saved cases."""
    found: dict[str, Any] = json.loads(gzip.decompress((DATA / "cases" / name / "cluster.json.gz").read_bytes()))
    return found


@cache
def clusters() -> tuple[dict[str, Any], ...]:
    """Cases, and worlds of the rollout and counter tables."""
    rows = [
        row for name in ("rollout.jsonl", "counters.jsonl") for row in lines(name) if row["id"] in {"R11", "C08", "C10"}
    ]
    return (*(case(name) for name in CASES), *(world(row, {}) for row in rows))


@cache
def everything() -> tuple[dict[str, Any], ...]:
    """The same with all other cases, and surges that do not go on."""
    others = sorted(folder.name for folder in (DATA / "cases").iterdir() if folder.name not in CASES)
    surges = (
        crowded("1"),
        beside(DS, pod(DS, "n1", crashing(), suffix="-b")),
        beside(PORTS, left(PORTS, TAKEN, suffix="-b")),
    )
    return (*clusters(), *map(case, others), *({"apiVersion": "v1", "kind": "List", "items": one} for one in surges))


@cache
def small() -> dict[str, Any]:
    """A world of a few objects, where every byte is cut at."""
    (row,) = (row for row in lines("rollout.jsonl") if row["id"] == "R11")
    return world(row, {})


def as_yaml(document: dict[str, Any]) -> bytes:
    """The objects of a List as YAML documents."""
    import yaml

    texts = [yaml.safe_dump(item, sort_keys=True, width=10_000) for item in document["items"]]
    return "---\n".join(texts).encode()


def as_json(document: dict[str, Any]) -> bytes:
    """The List as `kubectl get -o json` prints it. Lone surrogates stay as JSON's escapes."""
    return json.dumps(document, indent=4).encode()


def as_gzip(content: bytes) -> bytes:
    """Compressed, with no time in it."""
    return gzip.compress(content, mtime=0)


def as_tar(files: dict[str, bytes]) -> bytes:
    """A .tar.gz of the files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
    return as_gzip(out.getvalue())


def in_files(document: dict[str, Any]) -> dict[str, bytes]:
    """The List as one file a kind, JSON and YAML by turns."""
    kinds = sorted({item["kind"] for item in document["items"]})
    made = {}
    for number, kind in enumerate(kinds):
        part = {**document, "items": [item for item in document["items"] if item["kind"] == kind]}
        name, content = (f"{kind}.json", as_json(part)) if number % 2 else (f"{kind}.yaml", as_yaml(part))
        made[f"dump/{name}"] = content
    return made


def write_folder(folder: Path, files: dict[str, bytes]) -> Path:
    """The files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder
