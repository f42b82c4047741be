"""`fix` and `undo` on a real API server: plans, owners, rights, second writers, a server that dies.

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

import pytest

from cluster import play
from cluster.api import JSON_PATCH, wait_until
from cluster.command import dscov
from cluster.curables.taints import GPU, tolerating, untolerated
from cluster.curables.world import NOW, World
from cluster.handle import Cluster
from cluster.local.plane import API
from cluster.objects import daemonset
from dscov import Overrides, Transport, Writer, resolve
from dscov.errors import CouldNotLook, NotVerified, Stale

ADD = [
    {
        "op": "add",
        "path": "/spec/template/spec/tolerations",
        "value": [{"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}],
    }
]


def test_dry_runs_and_refusals_write_nothing(world: World, state: dict[str, str]) -> None:
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
    untolerated(world)
    assert world.fix(state, "--yes").returncode == 0
    world.cluster.api.patch({"kind": "DaemonSet"} | world.now(), {"spec": {"minReadySeconds": 1}})
    spec = world.now()["spec"]
    done = world.fix(state, "--yes", verb="undo")
    assert (done.returncode, "was changed since the patch" in done.stderr) == (4, True)
    assert world.now()["spec"] == spec


def test_an_object_of_gitops_is_left_alone(world: World, state: dict[str, str]) -> None:
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
