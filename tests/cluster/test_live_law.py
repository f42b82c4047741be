"""The live law: on a settled random world our every verdict is the real controller's and the real scheduler's.

What the controller wants is read from what it did, not from our reading of its rules: the pods it made (each names its
node), `DESIRED` and `MISSCHEDULED` of every DaemonSet, and its own FailedCreate events where a quota or a missing
priority class kept it from making a pod. To leave nothing to guess, these obstacles are then taken away: after that
every DaemonSet's shouldRun must be the very set of nodes that have one of its pods. At last the world is disturbed, so
that pods stay where they may not be any more.

The size is `DSCOV_LAW` = "DAEMONSETSxNODES" (300x60), the seed `DSCOV_LAW_SEED`.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cluster.api import STRATEGIC_PATCH, Object
from cluster.command import report
from cluster.handle import Cluster
from cluster.local.plane import SCHEDULER
from cluster.settle import Settled, settle
from cluster.worlds.random_world import random_world

DAEMONSETS, NODES = map(int, os.environ.get("DSCOV_LAW", "300x60").split("x"))
SEED = int(os.environ.get("DSCOV_LAW_SEED", "11"))
COUNTERS = (
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberMisscheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
)
#: What the scheduler writes -> the slug that stands for it; the words are those of Kubernetes 1.37.
WORDS = {
    r"\d+ Insufficient \S+": "insufficient-resources",
    r"\d+ Too many pods": "too-many-pods",
    r"didn't have free ports": "host-port-conflict",
    r"didn't match pod anti-affinity rules": "pod-anti-affinity",
    r"didn't satisfy existing pods anti-affinity rules": "pod-anti-affinity",
    r"didn't match Pod's node affinity/selector": "runtimeclass-selector-not-in-template",
    r"non-empty scheduling gates": "scheduling-gated",
}
#: What it writes of a pod that is not wanted any more, since its node changed -> words of the causes that exclude a node.
UNWANTED = {
    r"had untolerated taint": ("taint", "toleration"),
    r"didn't match Pod's node affinity/selector": ("selector", "affinity", "label"),
}
#: Slugs of the stage of scheduling: one of these on a pending pod must be one that the scheduler named.
SCHEDULING = {*WORDS.values(), "scheduler-absent", "volume-attach", "namespace-selector-not-in-template"}

Pairs = dict[tuple[str, str], dict[str, Any]]


class Told:
    """Our report, and beside it what the controllers did, both by DaemonSet."""

    def __init__(self, cluster: Cluster, state: Settled) -> None:
        later = datetime.now(UTC) + timedelta(hours=1)
        self.report = report(cluster.kubeconfig, "-A", "--now", f"{later:%Y-%m-%dT%H:%M:%SZ}")
        self.ours = {f"{one['namespace']}/{one['name']}": one for one in self.report["daemonsets"]}
        self.theirs = {_key(item): item for item in state.daemonsets}
        owners = {item["metadata"]["uid"]: _key(item) for item in state.daemonsets}
        self.pods: defaultdict[str, dict[str, list[Object]]] = defaultdict(lambda: defaultdict(list))
        for pod in state.pods:
            for owner in pod["metadata"].get("ownerReferences", []):
                if owner["uid"] in owners:
                    self.pods[owners[owner["uid"]]][_meant_for(pod)].append(pod)
        self.refused = {
            f"{event['involvedObject']['namespace']}/{event['involvedObject']['name']}"
            for event in cluster.api.list("Event")
            if event["reason"] == "FailedCreate"
        }
        self.events = {
            event["involvedObject"]["uid"]: event["message"]
            for event in sorted(cluster.api.list("Event"), key=_last_seen)
            if event["reason"] == "FailedScheduling"
        }

    def wanted(self, key: str) -> set[str]:
        """The nodes on which we say that the controller wants a pod."""
        return {pair["node"] for pair in self.ours[key]["nodes"] if pair["shouldRun"]}

    def placed(self, key: str) -> set[str]:
        """The nodes that the controller made a pod for."""
        return set(self.pods[key])


def placements(told: Told) -> Iterator[str]:
    """Every difference between our shouldRun and what the controller did."""
    for key, theirs in told.theirs.items():
        wanted, placed, status = told.wanted(key), told.placed(key), theirs["status"]
        if len(wanted) != status["desiredNumberScheduled"]:
            yield f"{key}: we want {len(wanted)} nodes, DESIRED is {status['desiredNumberScheduled']}"
        if len(placed - wanted) != status["numberMisscheduled"]:
            yield f"{key}: pods on {placed - wanted} are strays to us, MISSCHEDULED is {status['numberMisscheduled']}"
        if wanted - placed and key not in told.refused:
            yield f"{key}: no pod on {wanted - placed}, and no refusal"
        stays = {pair["node"] for pair in told.ours[key]["nodes"] if pair["shouldContinueRunning"]}
        if gone := {node for node in placed - wanted - stays if not _all_going(told.pods[key][node])}:
            yield f"{key}: we say that the pods on {gone} may not stay, and they do"


def counters(told: Told) -> Iterator[str]:
    """Every counter that we compute otherwise than `.status` has it."""
    for key, theirs in told.theirs.items():
        computed = told.ours[key]["counters"]["computed"]
        for name in COUNTERS:
            if computed[name] != theirs["status"].get(name, 0):
                yield f"{key}: {name} is {theirs['status'].get(name, 0)}, we compute {computed[name]}"


def causes(told: Told, seen: Counter[str]) -> Iterator[str]:
    """Every pod that the scheduler leaves pending for another reason than we give; `seen` counts the reasons."""
    for key in told.theirs:
        pairs = {pair["node"]: pair for pair in told.ours[key]["nodes"]}
        for node, pods in told.pods[key].items():
            for pod in pods:
                if pod["spec"].get("nodeName") or "deletionTimestamp" in pod["metadata"]:
                    continue
                if not pairs[node]["shouldRun"]:
                    seen["(not wanted any more)"] += 1
                    yield from _unwanted(told, key, pairs[node], pod)
                    continue
                named = _named(told, pod)
                seen.update(named)
                seen["(event of an earlier attempt)"] += _event_differs(told, pod)
                ours = set(pairs[node]["causes"]) & SCHEDULING | _own_port(told, key, node)
                # Behind its gate the scheduler does not look at the pod; we see what will keep it out then.
                ours -= {"runtimeclass-selector-not-in-template"} if named == {"scheduling-gated"} else set()
                if not named or ours != named:
                    said = f"we say {pairs[node]['state']}, {pairs[node]['causes']}"
                    yield f"{key} on {node}: the scheduler names {named or _word(told, pod)}, {said}"
                yield from _resources(told, key, node, pod)


def _contradicts_its_class(told: Told, key: str) -> bool:
    """Whether admission lets in no pod, since template and RuntimeClass select other nodes, and we say so."""
    spoken = (finding for finding in told.ours[key]["findings"] if finding["cause"] == "admission-denied")
    return any("conflict: runtimeClass.scheduling.nodeSelector" in finding["message"] for finding in spoken)


def _own_port(told: Told, key: str, node: str) -> set[str]:
    """The scheduler's word for a surge whose new pod waits for the port of the old one, which has a cause of its own."""
    surges = [f for f in told.ours[key]["findings"] if f["cause"] == "surge-host-port" and node in f["nodes"]]
    return {"host-port-conflict"} if surges else set()


def _unwanted(told: Told, key: str, pair: dict[str, Any], pod: Object) -> Iterator[str]:
    """A pod that waits for a node that may not have it any more: scheduler and controller say the same of the node."""
    word = _word(told, pod)
    kinds = [kinds for words, kinds in UNWANTED.items() if re.search(words, word)]
    same = kinds and any(kind in slug for slug in pair["causes"] for kind in kinds[0])
    # The scheduler judges the pod, with the selector that its RuntimeClass added; the controller judges the template.
    template = told.theirs[key]["spec"]["template"]["spec"]
    added = (pod["spec"].get("nodeSelector") or {}).items() - (template.get("nodeSelector") or {}).items()
    same = same or bool(added and kinds and "affinity" in kinds[0])
    # Nobody says a word of a pod whose scheduler is not there, or that is held back by a gate.
    same = same or _named(told, pod) in ({"scheduler-absent"}, {"scheduling-gated"})
    if pair["state"] != "misscheduled" or not same:
        yield f"{key} on {pair['node']}: the scheduler names {word}, we say {pair['state']}, {pair['causes']}"


def _resources(told: Told, key: str, node: str, pod: Object) -> Iterator[str]:
    """The resources that the scheduler finds too little of must stand in our finding."""
    for resource in re.findall(r"\d+ Insufficient ([^\s,.]+(?:\.\S*?/\S+?)?)(?=[,.])", _word(told, pod)):
        said = [f["message"] for f in told.ours[key]["findings"] if node in f["nodes"]]
        if not any(resource in message for message in said):
            yield f"{key} on {node}: the scheduler lacks {resource}, we say {said}"


def _named(told: Told, pod: Object) -> set[str]:
    if pod["spec"]["schedulerName"] != "default-scheduler":
        return {"scheduler-absent"}
    return _slugs(_word(told, pod))


def _slugs(message: str) -> set[str]:
    return {slug for words, slug in WORDS.items() if re.search(words, message)}


def _word(told: Told, pod: Object) -> str:
    """The scheduler's last word on a pod.

    Its condition and its event are the same text at first. Later failures only raise the count of the event, whose text
    stays that of the first; the condition has the last.
    """
    conditions = {item["type"]: item.get("message", "") for item in pod["status"].get("conditions", [])}
    word = conditions.get("PodScheduled") or told.events.get(pod["metadata"]["uid"], "")
    return str(word).partition(" preemption: ")[0]


def _event_differs(told: Told, pod: Object) -> bool:
    """Whether the event names another reason than the condition, and so is of an earlier attempt."""
    event = told.events.get(pod["metadata"]["uid"], "").partition(" preemption: ")[0]
    return bool(event) and _slugs(event) != _slugs(_word(told, pod))


def _last_seen(event: Object) -> str:
    """When the event was last repeated, to the second."""
    series = event.get("series") or {}
    last = series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime") or ""
    return str(last)[:19]


def _meant_for(pod: Object) -> str:
    """The node a daemon pod is made for: the controller writes it into the affinity, the scheduler into nodeName."""
    if pod["spec"].get("nodeName"):
        return str(pod["spec"]["nodeName"])
    required = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return str(required["nodeSelectorTerms"][0]["matchFields"][0]["values"][0])


def _all_going(pods: list[Object]) -> bool:
    return all("deletionTimestamp" in pod["metadata"] for pod in pods)


def _key(item: Object) -> str:
    return f"{item['metadata']['namespace']}/{item['metadata']['name']}"


def unhinder(cluster: Cluster) -> None:
    """Take away what keeps the controller from making the pods it wants: the quota and the lack of a class."""
    quota = {"kind": "ResourceQuota", "metadata": {"name": "few", "namespace": "narrow"}}
    cluster.api.patch(quota, {"spec": {"hard": {"pods": "100000"}}}, content=STRATEGIC_PATCH)
    missing: Object = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 0}
    cluster.api.create(missing | {"metadata": {"name": "no-such-class"}})


def differences(told: Told, phase: str) -> list[str]:
    """All that differs, with the figures of the phase printed."""
    seen: Counter[str] = Counter()
    found = [*placements(told), *counters(told), *causes(told, seen)]
    pairs = sum(len(one["nodes"]) for one in told.ours.values())
    pods = sum(len(pods) for by_node in told.pods.values() for pods in by_node.values())
    print(f"{phase}: {len(told.theirs)} DaemonSets, {pairs} pairs, {pods} pods, pending: {dict(seen)}")
    print(f"{phase}: {len(told.refused)} DaemonSets had a pod refused, {len(found)} differences")
    return found


@pytest.fixture
def law_cluster(new_cluster: Callable[..., Cluster]) -> Cluster:
    return new_cluster()


def test_verdicts_are_the_controllers(law_cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    api = law_cluster.api
    world = random_world(SEED, daemonsets=DAEMONSETS, nodes=NODES)
    refused = world.create(api)
    with capsys.disabled():
        print(f"\nthe API server refused {len(refused)} of {len(world.daemonsets) + len(world.nodes)} objects:")
        for reason, many in Counter(_why(refusal.message) for refusal in refused).items():
            print(f"  {many} x {reason}")
        told = Told(law_cluster, settle(api))
        assert set(told.ours) == set(told.theirs)
        assert len(told.ours) == DAEMONSETS - sum(refusal.object["kind"] == "DaemonSet" for refusal in refused)
        assert all(len(one["nodes"]) == NODES for one in told.ours.values())
        assert differences(told, "made") == []

        unhinder(law_cluster)
        state = _all_made(law_cluster)
        told = Told(law_cluster, state)
        assert differences(told, "unhindered") == []
        unmade = [key for key in told.theirs if told.wanted(key) != told.placed(key)]
        assert [key for key in unmade if not _contradicts_its_class(told, key)] == []

        world.disturb(api, state)
        settle(api)
        _ask_the_scheduler_again(law_cluster)
        told = Told(law_cluster, settle(api))
        assert differences(told, "disturbed") == []
        strays = sum(item["status"]["numberMisscheduled"] for item in told.theirs.values())
        assert strays > 0 or DAEMONSETS < 300, "nothing was misscheduled: the world is not disturbed enough"


def _ask_the_scheduler_again(cluster: Cluster) -> None:
    """A pod that waits is tried anew when something helps it; what only makes it worse leaves an old word standing."""
    assert cluster.plane is not None
    cluster.plane.stop(SCHEDULER)
    cluster.plane.start(SCHEDULER)
    time.sleep(5)


def _all_made(cluster: Cluster) -> Settled:
    """Settled, with every wanted pod made: after refusals the controller waits longer and longer, a touch wakes it."""
    for _ in range(10):
        state = settle(cluster.api)
        counts = [item["status"] for item in state.daemonsets]
        if all(status["currentNumberScheduled"] == status["desiredNumberScheduled"] for status in counts):
            break
    return state


def _why(message: str) -> str:
    """The message without the name of the object."""
    return re.sub(r'"[^"]*" is invalid', "is invalid", message)[:160]
