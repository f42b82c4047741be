"""Protobuf against JSON: an object says the same in either form, however it is written and wherever it is cut."""

import json
from contextlib import suppress

import msgspec
import pytest
from engine.sources import proto
from hypothesis import given, settings
from hypothesis import strategies as st

from dscov.sources import decode, protobuf, wire

TIME = "2026-05-01T10:00:00Z"
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
NAMES = st.text("abc-", min_size=1, max_size=6)
WORDS = st.sampled_from(["True", "False", "Unknown"])
SOME = st.dictionaries(NAMES, TEXT, max_size=3)


def metas():
    owner = st.fixed_dictionaries({"kind": NAMES, "name": NAMES, "uid": NAMES, "controller": st.booleans()})
    return st.fixed_dictionaries(
        {"name": NAMES, "namespace": NAMES, "uid": NAMES, "creationTimestamp": st.just(TIME)},
        optional={
            "labels": SOME,
            "deletionTimestamp": st.just(TIME),
            "ownerReferences": st.lists(owner, max_size=2),
        },
    )


def conditions(*kinds):
    one = st.fixed_dictionaries(
        {"type": st.sampled_from(kinds), "status": WORDS},
        optional={"reason": TEXT, "message": TEXT}
        | dict.fromkeys(("lastTransitionTime", "lastHeartbeatTime"), st.just(TIME)),
    )
    return st.lists(one, max_size=3)


def containers():
    ended = st.fixed_dictionaries({"exitCode": st.integers(-1, 255)}, optional={"reason": TEXT, "message": TEXT})
    waiting = st.fixed_dictionaries({}, optional={"reason": TEXT, "message": TEXT})
    kinds = [waiting.map(lambda w: {"waiting": w}), st.just({"running": {}}), ended.map(lambda e: {"terminated": e})]
    state = st.one_of(st.just({}), *kinds)
    one = {"name": NAMES, "ready": st.booleans(), "restartCount": st.integers(0, 1 << 31)}
    return st.lists(st.fixed_dictionaries(one | {"state": state, "lastState": state}), max_size=2)


def pods():
    field = st.fixed_dictionaries(
        {
            "key": st.just("metadata.name"),
            "operator": st.sampled_from(["In", "NotIn"]),
            "values": st.lists(NAMES, max_size=2),
        }
    )
    spec = st.fixed_dictionaries(
        {}, optional={"nodeName": NAMES, "terms": st.lists(st.lists(field, max_size=2), max_size=2)}
    )
    status = {
        "phase": st.sampled_from(["Pending", "Running", "Failed"]),
        "conditions": conditions("Ready", "PodScheduled"),
        "containerStatuses": containers(),
        "initContainerStatuses": containers(),
    }
    whole = st.fixed_dictionaries(status, optional={"reason": TEXT, "message": TEXT})
    return st.fixed_dictionaries({"metadata": metas(), "spec": spec, "status": whole})


def nodes():
    taint = st.fixed_dictionaries(
        {"key": NAMES, "effect": st.sampled_from(["NoSchedule", "NoExecute"])}, optional={"value": TEXT}
    )
    spec = st.fixed_dictionaries(
        {},
        optional={"taints": st.lists(taint, max_size=2), "unschedulable": st.booleans(), "providerID": TEXT},
    )
    info = ["kernelVersion", "osImage", "containerRuntimeVersion", "kubeletVersion", "operatingSystem", "architecture"]
    status = st.fixed_dictionaries(
        {"conditions": conditions("Ready", "DiskPressure")},
        optional={
            "allocatable": st.dictionaries(NAMES, st.sampled_from(["1", "500m", "2Gi"]), max_size=2),
            "nodeInfo": st.dictionaries(st.sampled_from(info), TEXT),
        },
    )
    return st.fixed_dictionaries({"metadata": metas(), "spec": spec, "status": status})


def in_json(raw):
    """As the API writes it: the terms stand where affinity has them."""
    spec = dict(raw["spec"])
    terms = spec.pop("terms", None)
    if terms is not None:
        required = {"nodeSelectorTerms": [{"matchFields": term} for term in terms]}
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    return json.dumps(raw | {"spec": spec})


@settings(derandomize=True, deadline=None, max_examples=300)
@given(pods())
def test_a_pod_is_the_same_in_either_form(raw):
    as_json = decode.pod(msgspec.json.decode(in_json(raw), type=wire.Pod), {})
    assert decode.pod(protobuf.Decoder(wire.Pod).decode(proto.pod(raw)), {}) == as_json


@settings(derandomize=True, deadline=None, max_examples=300)
@given(nodes())
def test_a_node_is_the_same_in_either_form(raw):
    as_json = decode.node(msgspec.json.decode(json.dumps(raw), type=wire.Node))
    assert decode.node(protobuf.Decoder(wire.Node).decode(proto.node(raw))) == as_json


def cut(body, size):
    return (body[start : start + size] for start in range(0, len(body), size))


A_NODE = {"metadata": {"name": "n" * 200}, "spec": {}, "status": {}}


@pytest.mark.parametrize("size", [1, 2, 7, 64, 100_000])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_members_come_whole_from_chunks_of_any_size(size, count):
    members = protobuf.Members(cut(proto.answer("nodes", [A_NODE] * count, token="next"), size))
    assert list(members) == [proto.node(A_NODE)] * count
    assert members.token == "next"


def test_every_truncation_is_told():
    body = proto.answer("nodes", [A_NODE, A_NODE])
    # What follows the list itself says nothing that is asked for; without it the list is whole all the same.
    whole = body.rindex(proto.node(A_NODE)) + len(proto.node(A_NODE))
    for size in range(whole):
        with pytest.raises(msgspec.DecodeError):
            list(protobuf.Members([body[:size]]))
    assert len(list(protobuf.Members([body[:whole]]))) == 2


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"k8s\x00",
        b"k8s\x01" + proto.sized(2, b""),
        b'{"kind":"NodeList"}',
        b"k8s\x00" + proto.varint(2 << 3 | 2) + b"\xff" * 11,
        b"k8s\x00" + proto.varint(2 << 3 | 2) + proto.varint(4) + proto.sized(2, b"12345"),
        b"k8s\x00" + proto.sized(2, proto.sized(1, b"\xff")),
    ],
)
def test_what_is_no_list_is_told(body):
    with pytest.raises(msgspec.DecodeError):
        list(protobuf.Members([body]))


@settings(derandomize=True, deadline=None, max_examples=500)
@given(st.binary(max_size=60))
def test_any_bytes_are_a_pod_or_an_error(body):
    with suppress(msgspec.DecodeError):
        assert isinstance(protobuf.Decoder(wire.Pod).decode(body), wire.Pod)


def test_a_text_that_is_no_utf8_is_readable():
    """A container's last words are whatever it wrote; JSON, where the API gives it, has the same signs."""
    ended = proto.sized(3, proto.number(1, 1) + proto.sized(4, b"bad \xff byte"))
    container = proto.text(1, "a") + proto.sized(2, ended)
    body = proto.sized(1, proto.text(1, "p")) + proto.sized(3, proto.sized(8, container))
    [status] = protobuf.Decoder(wire.Pod).decode(body).status.container_statuses
    assert status.state.terminated.message == "bad \N{REPLACEMENT CHARACTER} byte"


def test_fields_that_nobody_reads_are_passed_over():
    more = proto.text(99, "new") + proto.number(98, 7)
    assert protobuf.Decoder(wire.Node).decode(proto.node(A_NODE) + more).metadata.name == A_NODE["metadata"]["name"]


def test_a_status_is_read():
    body = proto.unknown(proto.text(2, "Failure") + proto.text(3, "you may not") + proto.text(4, "Forbidden"))
    assert protobuf.read_status(body) == ("Forbidden", "you may not")
