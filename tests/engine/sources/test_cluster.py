"""The live source against a server that refuses, fails, lies, and hangs up."""

import json
import struct
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from engine.sources import proto
from engine.sources.access.servers import ApiServer, running

from dscov import diagnose, read_cluster
from dscov.errors import BadAccess, CouldNotLook
from dscov.sources.access import Access

NOW = datetime(2026, 5, 12, 9, 30, tzinfo=UTC)
LISTS = {
    "pods": ("Pod", "v1"),
    "nodes": ("Node", "v1"),
    "daemonsets": ("DaemonSet", "apps/v1"),
    "controllerrevisions": ("ControllerRevision", "apps/v1"),
    "events": ("Event", "v1"),
    "namespaces": ("Namespace", "v1"),
    "resourcequotas": ("ResourceQuota", "v1"),
    "priorityclasses": ("PriorityClass", "scheduling.k8s.io/v1"),
    "runtimeclasses": ("RuntimeClass", "node.k8s.io/v1"),
    "leases": ("Lease", "coordination.k8s.io/v1"),
}


def meta(name, **more):
    return {"name": name, "uid": f"uid-{name}", "creationTimestamp": "2026-05-01T00:00:00Z"} | more


def a_node(name, **spec):
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-05-01T00:00:00Z"}
    return {"metadata": meta(name), "spec": spec, "status": {"conditions": [ready]}}


def a_daemonset(name="agent", namespace="ops"):
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "a", "image": "i"}]}}
    spec = {"selector": {"matchLabels": {"app": name}}, "template": template}
    return {"metadata": meta(name, namespace=namespace), "spec": spec, "status": {"observedGeneration": 1}}


def a_revision(daemonset):
    owners = [{"kind": "DaemonSet", "name": "agent", "uid": daemonset["metadata"]["uid"], "controller": True}]
    labels = {"controller-revision-hash": "h"}
    own = meta("agent-h", namespace="ops", labels=labels, ownerReferences=owners)
    return {"metadata": own, "revision": 1, "data": {"spec": {"template": daemonset["spec"]["template"]}}}


def a_pod(node, *, ready=True, owner="agent", namespace="ops"):
    labels = {"app": owner, "controller-revision-hash": "h"}
    owners = [{"kind": "DaemonSet", "name": owner, "uid": f"uid-{owner}", "controller": True}]
    condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": "2026-05-01T00:01:00Z"}
    waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}
    container = {
        "name": "a",
        "ready": ready,
        "restartCount": 0 if ready else 9,
        "state": {"running": {}} if ready else waiting,
        "lastState": {} if ready else {"terminated": {"exitCode": 1, "reason": "Error"}},
    }
    return {
        "metadata": meta(f"{owner}-{node}", namespace=namespace, labels=labels, ownerReferences=owners),
        "spec": {"nodeName": node},
        "status": {"phase": "Running", "conditions": [condition], "containerStatuses": [container]},
    }


class Cluster:
    """What the server holds; `answers` are functions that may answer for a plural before it does."""

    def __init__(self):
        self.objects = {
            "nodes": [a_node("n1"), a_node("n2")],
            "pods": [a_pod("n1"), a_pod("n2")],
            "daemonsets": [a_daemonset()],
            "controllerrevisions": [a_revision(a_daemonset())],
        }
        self.answers = {}
        self.protobuf = True
        self.asked = []

    def __call__(self, handler, seen):
        url = urlsplit(seen.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        plural = url.path.rpartition("/")[2]
        self.asked.append((plural, url.path, query))
        if plural in self.answers and self.answers[plural](handler, query) is not False:
            return
        if plural == "version":
            handler.reply(200, b'{"gitVersion":"v1.37.2"}')
            return
        items = [item for item in self.objects.get(plural, []) if _selected(item, query, url.path)]
        if self.protobuf and plural in {"pods", "nodes"} and "protobuf" in seen.one("Accept"):
            body = proto.answer(plural, items)
            handler.reply(200, body, Content_Type="application/vnd.kubernetes.protobuf")
            return
        start, size = int(query.get("continue", "0")), int(query.get("limit", "0")) or len(items)
        end = start + size
        more = {"continue": str(end)} if end < len(items) else {}
        handler.reply(200, json.dumps(a_list(plural, items[start:end], **more)).encode())

    def times(self, plural):
        return sum(asked[0] == plural for asked in self.asked)


def a_list(plural, items, **more):
    kind, version = LISTS[plural]
    return {"kind": f"{kind}List", "apiVersion": version, "metadata": more, "items": items}


def _selected(item, query, path):
    parts = path.split("/namespaces/")
    if len(parts) > 1 and item["metadata"].get("namespace") != parts[1].split("/")[0]:
        return False
    field, _, value = query.get("fieldSelector", "").partition("=")
    return field != "spec.nodeName" or item["spec"].get("nodeName", "") == value


def refuses(status, reason="", message="no"):
    body = json.dumps({"kind": "Status", "reason": reason, "message": message, "code": status}).encode()
    return lambda handler, query: handler.reply(status, body)


@pytest.fixture
def server():
    with running(ApiServer()) as api:
        api.answer = Cluster()
        yield api


@pytest.fixture
def cluster(server):
    return server.answer


@pytest.fixture
def look(server):
    def look(namespace="", timeout=None, home="ops"):
        access = Access(server=server.url, namespace=home, timeout=timeout, origin="test")
        return read_cluster(access, namespace=namespace, now=NOW)

    return look


def told(snapshot):
    return {missing.resource: missing.reason for missing in snapshot.not_seen}


def states(snapshot):
    found = diagnose(snapshot, now=NOW)
    return {(one.daemonset.name, pair.node): pair.verdict.state for one in found.coverage for pair in one.pairs}


COVERED = {("agent", "n1"): "covered", ("agent", "n2"): "covered"}


def test_all_is_well(look, cluster):
    snapshot = look()
    assert (told(snapshot), states(snapshot)) == ({}, COVERED)
    assert snapshot.source.version == "v1.37.2"
    assert cluster.times("pods") == 1, "one look is enough where nothing is wrong"


@pytest.mark.parametrize("protobuf", [True, False])
def test_what_is_more_than_a_few_is_read_from_memory(look, cluster, protobuf):
    """In either form: the first page of this moment tells only that there is more."""
    names = [f"n{number:03}" for number in range(101)]
    cluster.objects |= {"nodes": [a_node(name) for name in names], "pods": [a_pod(name) for name in names]}
    cluster.protobuf = protobuf
    snapshot = look()
    assert (told(snapshot), set(states(snapshot).values())) == ({}, {"covered"})
    assert len(snapshot.nodes) == len(snapshot.pods) == 101
    for plural in ("nodes", "pods"):
        asked = [query for name, _, query in cluster.asked if name == plural]
        assert [(query.get("limit"), query.get("resourceVersion")) for query in asked] == [("100", None), (None, "0")]


@pytest.mark.parametrize(
    ("plural", "resource", "expected"),
    [
        ("pods", "pods", dict.fromkeys(COVERED, "unknown")),
        ("nodes", "nodes", COVERED),
        ("daemonsets", "daemonsets.apps", {}),
        ("controllerrevisions", "controllerrevisions.apps", COVERED),
        ("version", None, COVERED),
    ],
)
def test_one_list_is_forbidden(look, cluster, plural, resource, expected):
    cluster.answers[plural] = refuses(403, "Forbidden", "you may not")
    snapshot = look("ops")
    names = {f"{resource} in ops", resource} & told(snapshot).keys()
    assert {told(snapshot)[name] for name in names} == ({"Forbidden"} if resource else set())
    assert states(snapshot) == expected


def test_a_refusal_in_protobuf_is_read(look, cluster):
    body = proto.unknown(proto.text(3, "you may not") + proto.text(4, "Forbidden"))
    cluster.answers["pods"] = lambda handler, query: handler.reply(
        403, body, Content_Type="application/vnd.kubernetes.protobuf"
    )
    [missing] = [one for one in look("ops").not_seen if one.resource.startswith("pods")]
    assert (missing.reason, missing.detail) == ("Forbidden", "you may not")


def test_without_nodes_pods_tell_of_theirs(look, cluster):
    cluster.objects["pods"] = [a_pod("n1"), a_pod("n2", ready=False)]
    cluster.answers["nodes"] = refuses(403, "Forbidden")
    snapshot = look("ops")
    found = diagnose(snapshot, now=NOW)
    verdicts = {pair.node: pair.verdict for pair in found.coverage[0].pairs}
    assert {name: verdict.state for name, verdict in verdicts.items()} == {"n1": "covered", "n2": "unhealthy"}
    assert {(one.should_run, one.should_continue_running) for one in verdicts.values()} == {(None, None)}
    assert verdicts["n2"].gap
    assert verdicts["n2"].causes == ("crash-loop",)
    assert not verdicts["n1"].gap
    assert found.coverage[0].computed is None


def test_who_may_read_one_namespace_only_is_told_so(look, cluster):
    def only_ops(plural):
        def answer(handler, query):
            if "/namespaces/ops/" in handler.path:
                return False
            refuses(403, "Forbidden")(handler, query)
            return True

        return answer

    for plural in ("pods", "daemonsets", "controllerrevisions"):
        cluster.answers[plural] = only_ops(plural)
    snapshot = look()
    assert states(snapshot) == COVERED
    assert snapshot.scope == "ops"
    assert told(snapshot)["daemonsets.apps outside ops"] == "Forbidden"


def test_nothing_may_be_read(look, cluster):
    for plural in ("pods", "nodes", "daemonsets", "controllerrevisions"):
        cluster.answers[plural] = refuses(403, "Forbidden", "you may not")
    with pytest.raises(CouldNotLook, match="you may not"):
        look()


def test_a_401_ends_it(look, cluster):
    cluster.answers["pods"] = refuses(401, "Unauthorized")
    with pytest.raises(BadAccess, match="logged in"):
        look()


@pytest.mark.parametrize("status", [500, 502, 504])
def test_a_server_error_is_said(look, cluster, status):
    cluster.answers["daemonsets"] = refuses(status, "", "etcd is away")
    [missing] = look("ops").not_seen
    assert (missing.resource, missing.reason, missing.detail) == (
        "daemonsets.apps in ops",
        f"HTTP {status}",
        "etcd is away",
    )


@pytest.mark.parametrize(
    ("status", "headers", "body", "said"),
    [
        (500, {}, b"", "the server says Internal Server Error"),
        (500, {"Content_Type": "text/plain"}, b"etcdserver: timed out\nmore", "etcdserver: timed out"),
        (502, {"Content_Type": "text/html"}, b"<html>busy</html>", "the server says Bad Gateway"),
        (302, {"Location": "https://login.example.com/x?token=hush"}, b"", "redirects to https://login.example.com"),
        (302, {"Location": "http://[oops"}, b"", "the server redirects"),
        (599, {}, b"", "the server says HTTP 599"),
    ],
)
def test_where_nothing_can_be_read_the_reason_is_said(look, cluster, status, headers, body, said):
    for plural in ("pods", "nodes", "daemonsets", "controllerrevisions"):
        cluster.answers[plural] = lambda handler, query: handler.reply(status, body, **headers)
    with pytest.raises(CouldNotLook) as problem:
        look()
    assert str(problem.value).endswith(said)
    assert "hush" not in str(problem.value)


def test_a_refusal_is_told_once(look, cluster):
    for plural in ("pods", "controllerrevisions"):
        cluster.answers[plural] = refuses(403, "Forbidden", "you may not")
    assert sorted(one.resource for one in look().not_seen) == ["controllerrevisions.apps", "pods"]


def test_a_body_that_is_no_status_is_no_problem(look, cluster):
    cluster.answers["nodes"] = lambda handler, query: handler.reply(503, b"<html>busy</html>")
    assert told(look("ops")) == {"nodes": "HTTP 503"}


def in_pages(cluster, plural, *, forgets):
    """Pods of one item a page; after the first page the server has forgotten the place, `forgets` times."""
    left = [forgets]

    def answer(handler, query):
        if "limit" not in query:
            return False
        start = int(query.get("continue", "0"))
        if start and left[0]:
            left[0] -= 1
            refuses(410, "Expired")(handler, query)
            return True
        items = [item for item in cluster.objects[plural] if _selected(item, query, handler.path)]
        more = {"continue": str(start + 1)} if start + 1 < len(items) else {}
        handler.reply(200, json.dumps(a_list(plural, items[start : start + 1], **more)).encode())
        return True

    return answer


@pytest.mark.parametrize(("forgets", "expected"), [(0, {}), (1, {}), (99, {"daemonsets.apps in ops": "Expired"})])
def test_a_forgotten_place_is_read_from_the_start_once(look, cluster, forgets, expected):
    cluster.objects["daemonsets"] = [a_daemonset("agent"), a_daemonset("other"), a_daemonset("third")]
    cluster.answers["daemonsets"] = in_pages(cluster, "daemonsets", forgets=forgets)
    snapshot = look("ops")
    assert told(snapshot) == expected
    assert [ds.name for ds in snapshot.daemonsets] == ["agent", "other", "third"], "what was known is kept"


@pytest.mark.parametrize("cut", [1, 4, 5, 30, 90, -1])
def test_truncated_protobuf_is_not_seen(look, cluster, cut):
    body = proto.answer("nodes", cluster.objects["nodes"])[:cut]
    cluster.answers["nodes"] = lambda handler, query: handler.reply(
        200, body, Content_Type="application/vnd.kubernetes.protobuf"
    )
    snapshot = look("ops")
    assert told(snapshot) == {"nodes": "Malformed"}
    assert not snapshot.nodes, "half a list is no list"


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{}", b"<html></html>", b'{"kind":"Status"}', b"[" * 100_000])
def test_an_answer_that_is_no_list(look, cluster, body):
    cluster.answers["daemonsets"] = lambda handler, query: handler.reply(200, body)
    assert told(look("ops")) == {"daemonsets.apps in ops": "Malformed"}


def cut_off(times):
    """Promises more than it sends, so often."""
    left = [times]

    def answer(handler, query):
        if not left[0]:
            return False
        left[0] -= 1
        handler.send_response(200)
        handler.send_header("Content-Type", "application/vnd.kubernetes.protobuf")
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        handler.wfile.write(b"k8s\x00" + struct.pack("<I", 7))
        handler.close_connection = True
        return True

    return answer


@pytest.mark.parametrize(("times", "expected"), [(1, {}), (2, {"nodes": "Unreachable"})])
def test_a_connection_cut_in_the_middle_is_tried_once_more(look, cluster, times, expected):
    cluster.answers["nodes"] = cut_off(times)
    snapshot = look("ops")
    assert told(snapshot) == expected
    assert states(snapshot) == COVERED


def test_a_list_that_takes_too_long_is_not_seen(look, cluster):
    cluster.answers["nodes"] = lambda handler, query: time.sleep(1.5)
    snapshot = look("ops", timeout=0.5)
    [missing] = snapshot.not_seen
    assert (missing.resource, missing.reason) == ("nodes", "Unreachable")
    assert "within 0.5s" in missing.detail


def test_the_servers_clock_counts_where_ours_is_wrong(server, cluster):
    ahead = timedelta(hours=3)
    access = Access(server=server.url, namespace="ops", origin="test")
    body = b'{"gitVersion":"v1.37.2"}'

    def answer(handler, query):
        handler.date_time_string = lambda *_: format_datetime(datetime.now(UTC) + ahead, usegmt=True)
        handler.reply(200, body)

    cluster.answers["version"] = answer
    read_at = read_cluster(access, namespace="ops").read_at
    assert abs(read_at - datetime.now(UTC) - ahead) < timedelta(seconds=30)
    ahead = timedelta()
    assert abs(read_cluster(access, namespace="ops").read_at - datetime.now(UTC)) < timedelta(seconds=30)


def test_what_is_accused_is_read_again_in_order(look, cluster):
    cluster.objects["pods"] = [a_pod("n1"), a_pod("n2", ready=False)]
    assert states(look("ops"))["agent", "n2"] == "unhealthy"
    later = [asked for asked in cluster.asked[5:] if "resourceVersion" not in asked[2]]
    order = [(plural, query.get("fieldSelector")) for plural, _, query in later]
    assert order[:2] == [("pods", "spec.nodeName="), ("pods", "spec.nodeName=n2")]
    assert sorted(plural for plural, _ in order[2:]) == ["daemonsets", "nodes"]


def test_a_pod_that_comes_between_is_no_gap(look, cluster):
    """The first list has no pod for n2, the second has."""
    pods = cluster.objects["pods"]
    cluster.answers["pods"] = lambda handler, query: (
        cluster.objects.update(pods=pods[:1] if cluster.times("pods") == 1 else pods) or False
    )
    assert states(look("ops")) == COVERED
    assert cluster.times("pods") > 1


def test_what_is_missing_must_be_so_twice(look, cluster):
    """The pod comes with the third look: until then it was missing for a moment only."""
    pods, looks = cluster.objects["pods"], []

    def answer(handler, query):
        looks.append(query.get("fieldSelector"))
        cluster.objects["pods"] = pods if looks.count("spec.nodeName=n2") > 1 else pods[:1]
        return False

    cluster.answers["pods"] = answer
    assert states(look("ops")) == COVERED


def test_what_stays_missing_is_missing(look, cluster):
    cluster.objects["pods"] = [a_pod("n1")]
    assert states(look("ops"))["agent", "n2"] == "missing"


def test_a_second_look_that_fails_keeps_the_first_and_says_so(look, cluster):
    cluster.objects["pods"] = [a_pod("n1"), a_pod("n2", ready=False)]
    cluster.answers["nodes"] = lambda handler, query: (
        False if cluster.times("nodes") == 1 else refuses(500, "InternalError")(handler, query)
    )
    snapshot = look("ops")
    assert told(snapshot)["nodes"] == "InternalError"
    assert {node.name for node in snapshot.nodes} == {"n1", "n2"}


def test_a_pod_that_is_bound_between_two_lists_is_not_lost(look, cluster):
    """With many nodes in trouble all pods are read, then those bound to none: n149's is bound in between."""
    names = [f"n{number:03}" for number in range(150)]
    cluster.objects["nodes"] = [a_node(name) for name in names]
    waiting = a_pod("n149", ready=False)
    waiting["terms"] = [[{"key": "metadata.name", "operator": "In", "values": ["n149"]}]]
    cluster.objects["pods"] = [*(a_pod(name, ready=False) for name in names[:149]), waiting]
    waiting["spec"] = {"terms": waiting.pop("terms")}
    waiting["status"] = {"phase": "Pending"}

    def answer(handler, query):
        if query.get("fieldSelector") == "spec.nodeName=":
            waiting["spec"] = {"nodeName": "n149"}
        return False

    cluster.answers["pods"] = answer
    assert states(look("ops"))["agent", "n149"] == "pending"


def test_pages_that_bring_nothing_end_in_an_answer(look, cluster):
    """A new token each time, and never an object."""
    asked = []

    def answer(handler, query):
        asked.append(query)
        handler.reply(200, json.dumps(a_list("daemonsets", [], **{"continue": str(len(asked))})).encode())

    cluster.answers["daemonsets"] = answer
    # The first reading asks for what is in memory, where a server has no pages; this one sends them all the same.
    assert told(look("ops"))["daemonsets.apps in ops"] == "Malformed"
    assert len(asked) < 100
