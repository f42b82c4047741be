"""The API's protobuf answers, put together by hand: what a test sends and what it expects have nothing in common.

Field numbers are those of k8s.io/api core/v1 generated.proto.
"""

from datetime import datetime


def varint(number):
    out = b""
    while True:
        number, low = number >> 7, number & 0x7F
        out += bytes([low | (0x80 if number else 0)])
        if not number:
            return out


def sized(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


def text(field, value):
    return sized(field, value.encode()) if value else b""


def number(field, value):
    return varint(field << 3) + varint(value & (1 << 64) - 1)


def time(field, value):
    return sized(field, number(1, int(datetime.fromisoformat(value).timestamp()))) if value else b""


def mapping(field, pairs, value=text):
    return b"".join(sized(field, text(1, key) + value(2, one)) for key, one in (pairs or {}).items())


def quantity(field, value):
    return sized(field, text(1, value))


def many(field, items, encode):
    return b"".join(sized(field, encode(item)) for item in items or ())


def unknown(raw, kind="List"):
    """An answer: the magic, then runtime.Unknown with its type and the raw message."""
    return b"k8s\x00" + sized(1, text(1, "v1") + text(2, kind)) + sized(2, raw) + text(3, "") + sized(4, b"")


def answer(plural, items, token=""):
    encode = {"pods": pod, "nodes": node}[plural]
    return unknown(sized(1, text(2, "77") + text(3, token)) + many(2, items, encode))


def meta(raw):
    return (
        text(1, raw.get("name"))
        + text(2, "generated-")
        + text(3, raw.get("namespace"))
        + text(5, raw.get("uid"))
        + text(6, "12345")
        + time(8, raw.get("creationTimestamp"))
        + time(9, raw.get("deletionTimestamp"))
        + mapping(11, raw.get("labels"))
        + mapping(12, {"an": "annotation"})
        + many(13, raw.get("ownerReferences"), owner)
    )


def owner(raw):
    flag = number(6, int(raw.get("controller", False)))
    return text(1, raw.get("kind")) + text(3, raw.get("name")) + text(4, raw.get("uid")) + text(5, "v1") + flag


def condition(raw):
    """Of a pod; a node's has the same numbers for what we read."""
    return (
        text(1, raw["type"])
        + text(2, raw["status"])
        + time(3, raw.get("lastHeartbeatTime"))
        + time(4, raw.get("lastTransitionTime"))
        + text(5, raw.get("reason"))
        + text(6, raw.get("message"))
    )


def ended(raw):
    return number(1, raw.get("exitCode", 0)) + number(2, 0) + text(3, raw.get("reason")) + text(4, raw.get("message"))


def state(raw):
    waiting, running, terminated = (raw.get(kind) for kind in ("waiting", "running", "terminated"))
    out = b""
    if waiting is not None:
        out += sized(1, text(1, waiting.get("reason")) + text(2, waiting.get("message")))
    if running is not None:
        out += sized(2, time(1, "2026-05-01T00:00:00Z"))
    return out + (sized(3, ended(terminated)) if terminated is not None else b"")


def container(raw):
    return (
        text(1, raw.get("name"))
        + sized(2, state(raw.get("state") or {}))
        + sized(3, state(raw.get("lastState") or {}))
        + number(4, int(raw.get("ready", False)))
        + number(5, raw.get("restartCount", 0))
        + text(6, "image")
    )


def fields(raw):
    values = b"".join(text(3, value) for value in raw["values"])
    return text(1, raw["key"]) + text(2, raw["operator"]) + values


def pod_spec(raw):
    out = sized(2, text(1, "a") + text(2, "image")) + text(3, "Always") + text(10, raw.get("nodeName"))
    terms = raw.get("terms")
    if terms is None:
        return out
    required = b"".join(sized(1, many(2, term, fields)) for term in terms)
    return out + sized(18, sized(1, sized(1, required)))


def pod_status(raw):
    return (
        text(1, raw.get("phase"))
        + many(2, raw.get("conditions"), condition)
        + text(3, raw.get("message"))
        + text(4, raw.get("reason"))
        + text(5, "10.0.0.1")
        + many(8, raw.get("containerStatuses"), container)
        + many(10, raw.get("initContainerStatuses"), container)
    )


def pod(raw):
    return (
        sized(1, meta(raw["metadata"])) + sized(2, pod_spec(raw["spec"])) + sized(3, pod_status(raw.get("status", {})))
    )


def taint(raw):
    return text(1, raw["key"]) + text(2, raw.get("value")) + text(3, raw["effect"])


def node(raw):
    spec, status = raw.get("spec", {}), raw.get("status", {})
    info = status.get("nodeInfo", {})
    names = {
        4: "kernelVersion",
        5: "osImage",
        6: "containerRuntimeVersion",
        7: "kubeletVersion",
        9: "operatingSystem",
        10: "architecture",
    }
    return (
        sized(1, meta(raw["metadata"]))
        + sized(
            2,
            text(3, spec.get("providerID"))
            + number(4, int(spec.get("unschedulable", False)))
            + many(5, spec.get("taints"), taint),
        )
        + sized(
            3,
            mapping(1, {"cpu": "99"}, quantity)
            + mapping(2, status.get("allocatable"), quantity)
            + many(4, status.get("conditions"), condition)
            + sized(7, b"".join(text(field, info.get(name)) for field, name in names.items())),
        )
    )
