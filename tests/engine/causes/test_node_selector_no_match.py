"""node-selector-no-match: what a nodeSelector leaves out, on purpose or under a key that is out of date."""

from typing import Any

import pytest
from engine.build import daemonset, node, said, verdict
from engine.eligibility import all_cured, cured, gaps, spoken

SLUG = "node-selector-no-match"
PATH = "/spec/template/spec/nodeSelector"
ROLE = "node-role.kubernetes.io/"


def renamed(old: str, new: str, value: str) -> list[dict[str, Any]]:
    old, new = (f"{PATH}/{key.replace('/', '~1')}" for key in (old, new))
    return [{"op": "add", "path": new, "value": value}, {"op": "remove", "path": old}]


@pytest.mark.parametrize(
    ("selector", "labels", "entry"),
    [
        ({"disk": "ssd"}, {}, "disk=ssd"),
        ({"disk": "ssd"}, {"disk": "hdd"}, "disk=ssd"),
        ({"zone": "eu-1a"}, {"zone": "eu-1b"}, "zone=eu-1a"),
        ({"size": "large"}, {"size": "xlarge"}, "size=large"),
        ({"gpu": "true"}, {"gpu": "false"}, "gpu=true"),
        ({"kubernetes.io/hostname": "other"}, {}, "kubernetes.io/hostname=other"),
        ({f"{ROLE}master": "true"}, {f"{ROLE}control-plane": ""}, f"{ROLE}master=true"),
        ({"disk-1": "ssd"}, {"disk-2": "ssd"}, "disk-1=ssd"),
        ({"disk": "ssd", "zone": "a"}, {"zone": "a"}, "disk=ssd"),
    ],
)
def test_meant(selector: dict[str, str], labels: dict[str, str], entry: str) -> None:
    ds = daemonset(spec={"nodeSelector": selector})
    objects = ds, node("n1", labels=labels), node("n2", labels=labels)
    assert said(SLUG, *objects) == [f"the nodeSelector asks for {entry}"]
    assert gaps(*objects) == set()
    assert spoken(SLUG, *objects) == []


def test_one_slip_beside_one_that_is_meant_is_meant() -> None:
    ds = daemonset(spec={"nodeSelector": {"disk": "SSD", "zone": "a"}})
    assert gaps(ds, node("n1", labels={"disk": "ssd", "zone": "b"})) == set()


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        (f"{ROLE}master", f"{ROLE}control-plane", ""),
        ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type", "g5.xlarge"),
        ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone", "eu-1a"),
        ("disktype", "disk-type", "ssd"),
        ("example.com/accelerator", "example.com/acelerator", "a100"),
        ("Disk", "disk", "ssd"),
    ],
)
def test_a_key_that_is_out_of_date_or_misspelt(old: str, new: str, value: str) -> None:
    ds = daemonset(spec={"nodeSelector": {old: value}})
    objects = ds, node("n1", labels={new: value}), node("n2"), node("n3", labels={new: f"x{value}"})
    assert gaps(*objects) == {"n1"}
    assert cured(SLUG, *objects) == (renamed(old, new, value), {"n1"})
    assert verdict("n1", *objects).causes == (SLUG,)


def test_two_keys_that_are_out_of_date() -> None:
    selector = {"beta.kubernetes.io/os": "linux", f"{ROLE}master": ""}
    objects = daemonset(spec={"nodeSelector": selector}), node("n1", labels={f"{ROLE}control-plane": ""}), node("n2")
    assert all_cured(*objects) == {"n1"}


def test_both_keys_are_asked_for() -> None:
    ds = daemonset(spec={"nodeSelector": {f"{ROLE}master": "", f"{ROLE}control-plane": ""}})
    objects = ds, node("n1", labels={f"{ROLE}control-plane": ""}), node("n2")
    assert cured(SLUG, *objects) == ([{"op": "remove", "path": f"{PATH}/node-role.kubernetes.io~1master"}], {"n1"})


def test_a_retired_key_that_nodes_still_have_is_replaced_only_without_loss() -> None:
    ds = daemonset(spec={"nodeSelector": {f"{ROLE}master": ""}})
    both = node("old", labels={f"{ROLE}master": "", f"{ROLE}control-plane": ""})
    new = node("new", labels={f"{ROLE}control-plane": ""})
    assert cured(SLUG, ds, both, new, node("n0"))[1] == {"new"}
    assert gaps(ds, node("old", labels={f"{ROLE}master": ""}), new) == set()


@pytest.mark.parametrize(
    ("selector", "labels"),
    [
        ({"disk": "ssd"}, {"disk": "ssd"}),
        ({"disk": "ssd"}, {"disk": "SSD"}),
        ({"gpu": "true"}, {"gpu": ""}),
        ({}, {}),
        ({"kubernetes.io/os": "linux"}, {}),
    ],
)
def test_silent(selector: dict[str, str], labels: dict[str, str]) -> None:
    assert said(SLUG, daemonset(spec={"nodeSelector": selector}), node("n1", labels=labels)) == []
