"""surge-host-port: surges that cannot work."""

from typing import Any

import pytest
from engine.build import around, daemonset, findings, pod, rolling, said

SLUG = "surge-host-port"
HOST = {"ports": [{"containerPort": 9100, "hostPort": 9100}]}
PLAIN = {"ports": [{"containerPort": 9100}]}
DS = daemonset(container=HOST, strategy=rolling(0, 1))


def test_new_pods_wait_beside_old_ones() -> None:
    objects = around(DS, pod(DS, "n1", revision="h1"), pod(DS, "n1", bound=False, suffix="-b"))
    (finding,) = findings(SLUG, *objects)
    assert (finding.severity, finding.nodes) == ("error", ("n1",))
    assert said(SLUG, *objects) == ["maxSurge 1 with host ports 9100/TCP: new pods wait beside old ones"]
    assert finding.remedy is not None
    assert finding.remedy.patch[0]["value"] == {"maxUnavailable": 1, "maxSurge": 0}


@pytest.mark.parametrize(
    "ds",
    [
        DS,
        daemonset(container=HOST, strategy=rolling(0, "10%")),
        daemonset(container=PLAIN, spec={"hostNetwork": True}, strategy=rolling(0, 1)),
    ],
)
def test_the_next_rollout_will_stand_still(ds: dict[str, Any]) -> None:
    (finding,) = findings(SLUG, *around(ds, pod(ds, "n1")))
    assert (finding.severity, finding.nodes) == ("warning", ())


@pytest.mark.parametrize(
    "ds",
    [
        daemonset(container=HOST),
        daemonset(container=PLAIN, strategy=rolling(0, 1)),
        daemonset(spec={"hostNetwork": True}, strategy=rolling(0, 1)),
        daemonset(container=HOST, strategy=rolling(1, "0%")),
    ],
)
def test_silent(ds: dict[str, Any]) -> None:
    assert said(SLUG, *around(ds, pod(ds, "n1"))) == []
