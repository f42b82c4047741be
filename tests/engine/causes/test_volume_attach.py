"""volume-attach: claims, zones, limits, drivers."""

import pytest
from engine.build import around, daemonset, findings, said, verdict
from engine.waiting import left, refusal

SLUG = "volume-attach"
DS = daemonset(spec={"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]})
PRE = "0/2 nodes are available: {}. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."


@pytest.mark.parametrize(
    ("message", "kind", "word"),
    [
        (PRE.format("pod has unbound immediate PersistentVolumeClaims"), "policy", "bind or create"),
        ("0/2 nodes are available: 2 pod has unbound immediate PersistentVolumeClaims.", "policy", "bind or create"),
        (PRE.format('persistentvolumeclaim "data" not found'), "policy", "bind or create the claim (data)"),
        (PRE.format('persistentvolumeclaim "data" is being deleted'), "policy", "bind"),
        (PRE.format('persistentvolumeclaim "data" bound to non-existent persistentvolume "pv"'), "policy", "bind"),
        (refusal("node(s) had volume node affinity conflict"), "policy", "a volume of its own"),
        (refusal("node(s) didn't match PersistentVolume's node affinity"), "policy", "a volume of its own"),
        (refusal("node(s) had no available volume zone"), "policy", "a volume of its own"),
        (refusal("node(s) had no available disk"), "policy", "a volume of its own"),
        (
            refusal(
                "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
                "another pod"
            ),
            "policy",
            "a volume of its own",
        ),
        (refusal("node(s) exceed max volume count"), "policy", "more volumes"),
        (refusal("node(s) did not have enough free storage"), "policy", "more volumes"),
        (refusal("node(s) didn't find available persistent volumes to bind"), "policy", "bind"),
        (refusal("ebs.csi.aws.com CSI driver is not installed on the node"), "no-patch", "ebs.csi.aws.com"),
    ],
)
def test_refusals(message: str, kind: str, word: str) -> None:
    objects = around(DS, left(DS, message))
    (finding,) = findings(SLUG, *objects)
    assert finding.remedy is not None
    assert finding.remedy.kind == kind
    assert word in finding.remedy.summary
    assert dict(finding.facts)["claims"] == "data"
    assert verdict("n1", *objects).causes == (SLUG,)


@pytest.mark.parametrize(
    "reason",
    ["Insufficient cpu", "node(s) didn't match pod anti-affinity rules", "cannot allocate all claims", "Too many pods"],
)
def test_silent_on_other_reasons(reason: str) -> None:
    assert said(SLUG, *around(DS, left(DS, refusal(reason)))) == []


def test_silent_without_words() -> None:
    assert said(SLUG, *around(DS, left(DS))) == []
