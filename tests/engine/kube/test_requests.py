"""What a pod asks for. The table of many more cases is in tests/conformance."""

from decimal import Decimal
from typing import Any

import pytest

from dscov.kube.requests import pod_requests, requested, requests_on_node
from dscov.kube.versions import KubernetesVersion


def container(cpu: str, **more: Any) -> dict[str, Any]:
    return {"name": f"c{cpu}", "resources": {"requests": {"cpu": cpu}}, **more}


def pod(*containers: dict[str, Any], inits: list[dict[str, Any]] | None = None, **spec: Any) -> dict[str, Any]:
    return {"spec": {"containers": list(containers), "initContainers": inits or [], **spec}}


SIDECAR = {"restartPolicy": "Always"}


@pytest.mark.parametrize(
    ("made", "cpu"),
    [
        (pod(container("100m"), container("50m")), "0.15"),
        (pod(container("100m"), inits=[container("500m")]), "0.5"),
        (pod(container("100m"), inits=[container("200m", **SIDECAR), container("300m")]), "0.5"),
        (pod(container("100m"), inits=[container("300m"), container("200m", **SIDECAR)]), "0.3"),
        (pod(container("100m"), overhead={"cpu": "250m"}), "0.35"),
        (pod(container("100m"), container("200m"), resources={"requests": {"cpu": "1"}}), "1"),
    ],
)
def test_sums(made: dict[str, Any], cpu: str) -> None:
    assert pod_requests(made) == {"cpu": Decimal(cpu)}
    assert requests_on_node(made) == {"cpu": Decimal(cpu)}


def test_of_nothing() -> None:
    assert pod_requests({}) == {}


@pytest.mark.parametrize(("version", "cpu"), [("1.27", 200), ("1.28", 300)])
def test_a_sidecar_is_one_since_1_28(version: str, cpu: int) -> None:
    made = pod(container("100m"), inits=[container("200m", **SIDECAR)])
    assert requested(made, KubernetesVersion(1, int(version[2:]), 0)) == {"cpu": cpu * 10**6}


def test_a_quantity_that_cannot_be_read() -> None:
    with pytest.raises(ValueError, match="lots"):
        pod_requests(pod(container("lots")))
