"""The written table of pod requests, in thousandths of a CPU."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from conformance.tables import lines

import dscov

ROWS = lines("requests.jsonl")


def container(name: str, amount: int | str) -> dict[str, Any]:
    """A container that asks for so many thousandths; `s200` is a sidecar that asks for 200."""
    sidecar = isinstance(amount, str)
    milli = int(str(amount).removeprefix("s"))
    made: dict[str, Any] = {"name": name, "image": "i", "resources": {"requests": {"cpu": f"{milli}m"}}}
    return {**made, "restartPolicy": "Always"} if sidecar else made


def pod(row: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "nodeName": "n1",
        "containers": [container(f"c{number}", amount) for number, amount in enumerate(row["containers"])],
        "initContainers": [container(f"i{number}", amount) for number, amount in enumerate(row.get("init", []))],
    }
    if "podLevel" in row:
        spec["resources"] = {"requests": {"cpu": f"{row['podLevel']}m"}}
    if "overhead" in row:
        spec["overhead"] = {"cpu": f"{row['overhead']}m"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "d"}, "spec": spec}


def test_all_rows_are_there() -> None:
    assert [row["id"] for row in ROWS] == [f"Q{number:02}" for number in range(1, 9)]


@pytest.mark.parametrize("row", [row for row in ROWS if "kubernetes" not in row], ids=lambda row: row["id"])
def test_row(row: dict[str, Any]) -> None:
    want = {"cpu": Fraction(row["milli"], 1000)}
    assert dscov.pod_requests(pod(row)) == want, row["situation"]
    for version in ("1.36", "1.37"):
        assert dscov.requests_on_node(pod(row), kubernetes=version) == want, f"{row['situation']} on {version}"


@pytest.mark.parametrize("row", [row for row in ROWS if "kubernetes" in row], ids=lambda row: row["id"])
def test_row_of_one_version(row: dict[str, Any]) -> None:
    got = dscov.requests_on_node(pod(row), kubernetes=row["kubernetes"])
    assert got == {"cpu": Fraction(row["milli"], 1000)}, row["situation"]
