"""`fix` and `undo` on a real API server: every curable cause, second writers, a server that dies, owners, rights.

Objects go through the real API, controllers and scheduler; kwok plays the kubelets unless a case plays them itself.
"""

from __future__ import annotations

import copy
import json
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cluster import play
from cluster.api import JSON_PATCH, Object, wait_until
from cluster.command import dscov
from cluster.handle import Cluster
from cluster.local.plane import API
from cluster.objects import daemonset, node, taint
from dscov import Overrides, Transport, Writer, resolve
from dscov.errors import CouldNotLook, NotVerified, Stale

NOW = ("--node-grace", "0s", "--pod-grace", "0s")
GPU = taint("dedicated", "NoSchedule", "gpu")
SSD = {"disk": "ssd"}
ADD = [
    {
        "op": "add",
        "path": "/spec/template/spec/tolerations",
        "value": [{"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}],
    }
]


@pytest.fixture
def state(tmp_path: Path) -> dict[str, str]:
    """Records go into a folder of the test's own."""
    return {"XDG_STATE_HOME": str(tmp_path / "state"), "COLUMNS": "100"}


@pytest.fixture
def world(cluster: Cluster, namespace: str, fake_nodes: Callable[..., None]) -> World:
    return World(cluster, namespace, fake_nodes)


class World:
    """One namespace, with nodes whose names are its own and which its DaemonSets select."""

    def __init__(self, cluster: Cluster, namespace: str, fake_nodes: Callable[..., None]) -> None:
        self.cluster, self.namespace, self._nodes = cluster, namespace, fake_nodes

    def on(self, suffix: str) -> str:
        return f"{self.namespace}-{suffix}"

    def nodes(self, *suffixes: str, **more: Any) -> None:
        labels = {"world": self.namespace, **more.pop("labels", {})}
        self._nodes(*(node(self.on(suffix), labels=labels, **more) for suffix in suffixes))

    def daemonset(self, *, pod: Object | None = None, **more: Any) -> Object:
        pod = {**(pod or {})}
        pod["nodeSelector"] = {"world": self.namespace, **pod.get("nodeSelector", {})}
        made = self.cluster.api.create(daemonset("agent", self.namespace, pod=pod, **more))
        self.rests()
        return made

    def now(self) -> Object:
        return self.cluster.api.get("DaemonSet", "agent", self.namespace)

    def rests(self) -> None:
        def settled() -> bool:
            found = self.now()
            status = found["status"]
            wanted = status.get("desiredNumberScheduled", 0)
            return status.get("observedGeneration") == found["metadata"]["generation"] and wanted == status.get(
                "numberAvailable", 0
            )

        wait_until(settled, 60, "the DaemonSet at rest")

    def covered(self) -> set[str]:
        """The nodes with a ready pod, without the namespace."""
        pods = self.cluster.api.list("Pod", self.namespace)
        ready = [
            p
            for p in pods
            if any(c["type"] == "Ready" and c["status"] == "True" for c in p["status"].get("conditions", []))
        ]
        return {
            p["spec"]["nodeName"].removeprefix(f"{self.namespace}-")
            for p in ready
            if not p["metadata"].get("deletionTimestamp")
        }

    def fix(self, state: dict[str, str], *words: str, verb: str = "fix") -> Any:
        grace = NOW if verb == "fix" else ()
        return dscov(
            verb, "-n", self.namespace, "--kubeconfig", str(self.cluster.kubeconfig), *grace, *words, environ=state
        )


def tolerating(*tolerations: Object) -> Object:
    return {"tolerations": list(tolerations)}


def typo(world: World) -> None:
    world.nodes("a", taints=[GPU])
    world.daemonset(pod=tolerating({"key": "dedicatde", "operator": "Exists"}))


def wrong_value(world: World) -> None:
    world.nodes("a", taints=[GPU])
    world.daemonset(pod=tolerating({"key": "dedicated", "operator": "Equal", "value": "gup", "effect": "NoSchedule"}))


def wrong_effect(world: World) -> None:
    world.nodes("a", taints=[GPU])
    world.daemonset(pod=tolerating({"key": "dedicated", "value": "gpu", "effect": "NoExecute"}))


def untolerated(world: World) -> None:
    world.nodes("a", taints=[GPU])
    world.daemonset()


def several_values(world: World) -> None:
    for number in range(4):
        world.nodes(f"a{number}", taints=[taint("dedicated", "NoSchedule", f"team-{number}")])
    world.daemonset()


def selector_value(world: World) -> None:
    world.nodes("a", labels={"storage": "true"})
    world.daemonset(pod={"nodeSelector": {"storage": "True"}})


def named_scheduler(world: World) -> None:
    world.nodes("a")
    made = daemonset(
        "agent", world.namespace, pod={"schedulerName": "no-such", "nodeSelector": {"world": world.namespace}}
    )
    world.cluster.api.create(made)
    wait_until(lambda: bool(world.cluster.api.list("Pod", world.namespace)), 60, "pods that wait")


def seconds_that_end(world: World) -> None:
    world.nodes("a", taints=[taint("dedicated", "NoExecute", "gpu")])
    finite = {"key": "dedicated", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 2}
    made = daemonset("agent", world.namespace, pod={**tolerating(finite), "nodeSelector": {"world": world.namespace}})
    world.cluster.api.create(made)
    wait_until(lambda: bool(world.cluster.api.list("Pod", world.namespace)), 60, "a pod")


def selector_key(world: World) -> None:
    world.nodes("a", labels={"storage": "fast"})
    world.daemonset(pod={"nodeSelector": {"storge": "fast"}})


def affinity_value(world: World) -> None:
    world.nodes("a", labels={"storage": "true"})
    world.daemonset(pod=required({"key": "storage", "operator": "In", "values": ["True"]}))


def affinity_that_excludes(world: World) -> None:
    world.nodes("a", labels={"accelerator": "gpu", "disk": "ssd"})
    entry = {"key": "disk", "operator": "NotIn", "values": ["ssd"]}
    world.daemonset(pod={**required(entry), "nodeSelector": {"accelerator": "gpu"}})


def node_by_name(world: World) -> None:
    world.nodes("a")
    world.daemonset(pod={"nodeName": world.on("b")})


def gated(world: World) -> None:
    world.nodes("a")
    pod = {"schedulingGates": [{"name": "example.com/wait"}], "nodeSelector": {"world": world.namespace}}
    world.cluster.api.create(daemonset("agent", world.namespace, pod=pod))
    wait_until(lambda: bool(world.cluster.api.list("Pod", world.namespace)), 60, "pods that wait")


def required(*entries: Object) -> Object:
    terms = [{"matchExpressions": list(entries)}]
    return {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    }


CURABLE = {
    "untolerated-taint": (untolerated, {"a", "b"}),
    "toleration-key-typo": (typo, {"a", "b"}),
    "toleration-value-mismatch": (wrong_value, {"a", "b"}),
    "toleration-effect-mismatch": (wrong_effect, {"a", "b"}),
    "several-values": (several_values, {"a0", "a1", "a2", "a3", "b"}),
    "node-selector-value-mismatch": (selector_value, {"a"}),
    "node-selector-no-match": (selector_key, {"a"}),
    "node-affinity-no-match": (affinity_value, {"a"}),
    "node-affinity-excludes": (affinity_that_excludes, {"a"}),
    "template-node-name": (node_by_name, {"a", "b"}),
    "scheduling-gated": (gated, {"a", "b"}),
    "scheduler-absent": (named_scheduler, {"a", "b"}),
    "toleration-seconds-churn": (seconds_that_end, {"a", "b"}),
}


@pytest.mark.parametrize("name", CURABLE)
def test_a_curable_cause_is_cured_and_taken_back(world: World, state: dict[str, str], name: str) -> None:
    make, covered = CURABLE[name]
    world.nodes("b")
    make(world)
    before = world.now()["spec"]
    done = world.fix(state, "daemonset/agent", "--yes", "--wait", "--timeout", "90s")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verified daemonset/agent" in done.stderr
    assert world.covered() == covered
    after = world.now()
    assert after["spec"] != before
    taken = world.fix(state, "daemonset/agent", "--yes", verb="undo")
    assert taken.returncode == 0, taken.stderr
    assert world.now()["spec"] == before


def test_dry_runs_and_refusals_write_nothing(world: World, state: dict[str, str]) -> None:
    world.nodes("b")
    untolerated(world)
    before = world.now()["metadata"]["generation"]
    for words, code in (
        (("--dry-run",), 0),
        (("--dry-run=server",), 0),
        ((), 4),
        (("-o", "json"), 0),
        (("-o", "json-patch"), 0),
        (("--choose", "9"), 2),
        (("--nodes", "node/nowhere"), 2),
        (("--cause", "quota"), 0),
    ):
        done = world.fix(state, *words)
        assert done.returncode == code, (words, done.stdout, done.stderr)
    assert world.now()["metadata"]["generation"] == before
    assert world.fix(state, verb="undo").returncode == 2


def test_edits_that_are_spelt_out(world: World, state: dict[str, str]) -> None:
    world.nodes("a", "b")
    world.daemonset()
    done = world.fix(state, "ds/agent", "--set-selector", f"kubernetes.io/hostname={world.on('a')}", "--yes", "--wait")
    assert done.returncode == 0, done.stderr
    assert "loses" in done.stdout
    assert world.covered() == {"a"}
    again = world.fix(state, "ds/agent", "--set-selector", f"kubernetes.io/hostname={world.on('a')}", "--yes")
    assert (again.returncode, "nothing to do" in again.stderr) == (0, True)


def test_a_plan_is_carried_out_once(world: World, state: dict[str, str], tmp_path: Path) -> None:
    world.nodes("b")
    untolerated(world)
    plan = str(tmp_path / "plan.json")
    assert world.fix(state, "--save-plan", plan).returncode == 0
    assert json.loads(Path(plan).read_text())["items"][0]["uid"] == world.now()["metadata"]["uid"]
    done = world.fix(state, "--plan", plan, "--yes", "--wait", "--timeout", "90s")
    assert done.returncode == 0, done.stderr
    assert world.covered() == {"a", "b"}
    again = world.fix(state, "--plan", plan, "--yes")
    assert (again.returncode, "was changed since it was read" in again.stderr) == (4, True)


@pytest.mark.parametrize("change", ["spec", "marks", "made anew", "nodes"])
def test_a_stale_plan_is_refused(world: World, state: dict[str, str], tmp_path: Path, change: str) -> None:
    world.nodes("b")
    untolerated(world)
    plan = str(tmp_path / "plan.json")
    assert world.fix(state, "--save-plan", plan).returncode == 0
    obj = {"kind": "DaemonSet"} | world.now()
    if change == "spec":
        world.cluster.api.patch(obj, {"spec": {"minReadySeconds": 1}})
    elif change == "marks":
        world.cluster.api.patch(obj, {"metadata": {"labels": {"helm.sh/chart": "x"}}})
    elif change == "nodes":
        world.nodes("late", taints=[GPU])
    else:
        world.cluster.api.delete(obj)
        wait_until(lambda: not world.cluster.exists("DaemonSet", "agent", world.namespace), 60, "its end")
        world.daemonset()
    spec = world.now()["spec"]
    done = world.fix(state, "--plan", plan, "--yes")
    assert done.returncode == 4, done.stdout + done.stderr
    assert world.now()["spec"] == spec


def test_undo_never_overwrites(world: World, state: dict[str, str]) -> None:
    world.nodes("b")
    untolerated(world)
    assert world.fix(state, "--yes").returncode == 0
    world.cluster.api.patch({"kind": "DaemonSet"} | world.now(), {"spec": {"minReadySeconds": 1}})
    spec = world.now()["spec"]
    done = world.fix(state, "--yes", verb="undo")
    assert (done.returncode, "was changed since the patch" in done.stderr) == (4, True)
    assert world.now()["spec"] == spec


def test_an_object_of_gitops_is_left_alone(world: World, state: dict[str, str]) -> None:
    world.nodes("b")
    untolerated(world)
    mark = {"kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
    world.cluster.api.patch({"kind": "DaemonSet"} | world.now(), {"metadata": {"labels": mark}})
    generation = world.now()["metadata"]["generation"]
    done = world.fix(state, "--yes")
    assert (done.returncode, "is not patched: flux apps owns it" in done.stdout) == (1, True), done.stdout + done.stderr
    assert world.now()["metadata"]["generation"] == generation
    assert world.fix(state, "--yes", "--live-anyway").returncode == 0
    assert world.now()["metadata"]["generation"] == generation + 1


def test_what_server_side_apply_owns_stays_with_its_owner(world: World, state: dict[str, str], tmp_path: Path) -> None:
    world.nodes("a", taints=[GPU])
    world.nodes("b")
    pod = {"nodeSelector": {"world": world.namespace}, **tolerating({"key": "old", "operator": "Exists"})}
    manifest = tmp_path / "agent.json"
    manifest.write_text(json.dumps(daemonset("agent", world.namespace, pod=pod)))
    world.cluster.kubectl("apply", "--server-side", "--field-manager", "deployer", "-f", str(manifest))
    world.rests()
    done = world.fix(state, "--yes")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "deployer loses spec.template.spec.tolerations by a live patch, and its next server-side apply" in said
    entries = {entry["manager"]: entry["fieldsV1"] for entry in world.now()["metadata"]["managedFields"]}
    pods = {
        name: fields["f:spec"]["f:template"]["f:spec"]
        for name, fields in entries.items()
        if "f:template" in fields.get("f:spec", {})
    }
    assert set(pods["kubectl-dscov"]) == {"f:tolerations"}
    assert set(pods["deployer"]) == {"f:containers", "f:nodeSelector", "f:terminationGracePeriodSeconds"}


def test_whoever_may_not_patch_is_told(world: World, state: dict[str, str]) -> None:
    world.nodes("b")
    untolerated(world)
    rules = [
        {"apiGroups": [""], "resources": ["nodes", "pods", "events"], "verbs": ["list"]},
        {"apiGroups": ["apps"], "resources": ["daemonsets", "controllerrevisions"], "verbs": ["get", "list"]},
    ]
    reader = str(world.cluster.user(rules))
    done = dscov("fix", "-n", world.namespace, "--kubeconfig", reader, *NOW, "--yes", environ=state)
    assert (done.returncode, "you may not patch it" in done.stderr) == (4, True)


# -- a second writer ------------------------------------------------------------------------------------------------


def test_a_second_writer_is_never_overwritten(world: World) -> None:
    """200 times somebody writes between the plan and the patch, or at the same moment."""
    dice = random.Random(7)
    made = world.daemonset()
    told = kept = applied = 0
    with Transport(resolve(Overrides(kubeconfig=str(world.cluster.kubeconfig)), {})) as transport:
        writer = Writer(transport)
        for number in range(200):
            planned = writer.read(world.namespace, "agent")
            expected = writer.try_out(planned, ADD)
            value = [{"key": f"k{number}", "operator": "Exists"}]
            theirs = [{"op": "add", "path": "/spec/template/spec/tolerations", "value": value}]
            if number % 4 == 3:
                # A note is no change of spec, but it is one of marks.
                theirs = [{"op": "add", "path": "/metadata/labels/n", "value": str(number)}]
            other = threading.Thread(
                target=world.cluster.api.patch,
                args=({"kind": "DaemonSet"} | made, theirs),
                kwargs={"content": JSON_PATCH},
            )
            other.start()
            if number % 2:
                other.join()
            else:
                time.sleep(dice.random() * 0.01)
            try:
                writer.write(planned, ADD, expected=expected)
                applied += 1
            except Stale:
                told += 1
            other.join()
            now = world.now()
            if theirs[0]["path"].endswith("tolerations"):
                # Theirs came second, or ours was refused: in either case theirs is what stands.
                assert now["spec"]["template"]["spec"]["tolerations"] == value
            else:
                assert now["metadata"]["labels"]["n"] == str(number)
            kept += 1
    print(f"\nsecond writer: {kept} rounds, {told} refused and told, {applied} were first; none overwritten")
    assert told >= 100
    assert kept == 200


# -- a server that dies -----------------------------------------------------------------------------------------------


def test_a_server_killed_during_apply(new_cluster: Callable[..., Cluster]) -> None:
    """The spec is the old one or the new one, and what is told of it is true."""
    cluster = new_cluster()
    plane = cluster.plane
    assert plane is not None
    name = cluster.make_namespace()
    cluster.api.create(daemonset("agent", name))
    dice = random.Random(3)
    outcomes: dict[str, int] = {}
    for _ in range(12):
        access = resolve(Overrides(kubeconfig=str(cluster.kubeconfig), request_timeout="5s"), {})
        with Transport(access) as transport:
            writer = Writer(transport)
            before = writer.read(name, "agent")
            patch = [{"op": "replace", "path": "/spec/minReadySeconds", "value": dice.randrange(1, 10**6)}]
            if "minReadySeconds" not in before["spec"]:
                patch[0]["op"] = "add"
            expected = writer.try_out(before, patch)
            killer = threading.Timer(dice.random() * 0.02, plane.kill, (API,))
            killer.start()
            told: type[Exception] | None = None
            try:
                writer.write(before, patch, expected=expected)
            except (CouldNotLook, NotVerified) as problem:
                told = type(problem)
            killer.join()
        plane.start(API)
        now = cluster.api.get("DaemonSet", "agent", name)["spec"]
        assert now in (before["spec"], expected["spec"])
        if told is None:
            assert now == expected["spec"]
        outcomes[told.__name__ if told else "applied"] = outcomes.get(told.__name__ if told else "applied", 0) + 1
    print(f"\nserver killed during apply: {outcomes}; always the old spec or the new one")


def test_interrupted_while_waiting(world: World, state: dict[str, str]) -> None:
    """Ctrl-C during --wait ends the watching, not what was applied; undo still works."""
    import os
    import subprocess
    import sys

    from cluster.command import ROOT

    world.nodes("b", fake=False)
    world.cluster.api.create(daemonset("agent", world.namespace, pod={"nodeSelector": {"world": world.namespace}}))
    wait_until(lambda: bool(world.cluster.api.list("Pod", world.namespace)), 60, "a pod")
    environ = os.environ | state | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [
        sys.executable,
        "-m",
        "kubectl_dscov",
        "fix",
        "ds/agent",
        "-n",
        world.namespace,
        "--set-max-unavailable",
        "2",
    ]
    child = subprocess.Popen(
        [*command, "--kubeconfig", str(world.cluster.kubeconfig), "--yes", "--wait"],
        env=environ,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: world.now()["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"] == 2, 60, "the patch")
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=30)
    assert child.returncode == 130, told
    assert "Traceback" not in told
    assert world.fix(state, "--yes", verb="undo").returncode == 0
    play.set_conditions(world.cluster.api, world.on("b"), Ready="True")
    assert copy.deepcopy(world.now())["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"] == 1
