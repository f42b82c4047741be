"""Tolerations that are missing, or miss a taint by a slip."""

from __future__ import annotations

from cluster.api import Object
from cluster.curables.table import Table, curable
from cluster.curables.world import World
from cluster.objects import taint

TAINTS: Table = {}
GPU = taint("dedicated", "NoSchedule", "gpu")
PLUGIN_FIRST = "a network plugin has to run before its node can get ready"


def tolerating(*tolerations: Object) -> Object:
    """A pod's spec with these tolerations."""
    return {"tolerations": list(tolerations)}


@curable(TAINTS, "untolerated-taint", "a b")
def untolerated(world: World) -> None:
    world.nodes("a", taints=[GPU])
    world.nodes("b")
    world.daemonset()


@curable(TAINTS, "untolerated-taint", "a0 a1 a2 a3 b")
def several_values(world: World) -> None:
    for number in range(4):
        world.nodes(f"a{number}", taints=[taint("dedicated", "NoSchedule", f"team-{number}")])
    world.nodes("b")
    world.daemonset()


@curable(TAINTS, "untolerated-taint", "a b", says="node-role.kubernetes.io/control-plane")
def control_plane_that_is_declared(world: World) -> None:
    """Nobody tolerates it unasked; whoever declares all nodes has asked."""
    role = "node-role.kubernetes.io/control-plane"
    world.nodes("a", labels={role: ""}, taints=[taint(role, "NoSchedule")])
    world.nodes("b")
    world.daemonset(annotations={"dscov.dev/expect": f"world={world.namespace}"})


@curable(TAINTS, "misscheduled-at-risk", "a b c")
def a_pod_that_a_rollout_would_end(world: World) -> None:
    """The taint of `a` came after its pod, which stays until somebody rolls out; to let `c` in is a rollout."""
    world.nodes("a", "b")
    world.nodes("c", taints=[taint("other", "NoSchedule", "x")])
    world.daemonset()
    world.ready("a", "b")
    world.change_node("a", {"spec": {"taints": [GPU]}})
    world.change({"spec": {"revisionHistoryLimit": 9}})


@curable(TAINTS, "toleration-key-typo", "a b")
def typo(world: World) -> None:
    world.nodes("a", taints=[GPU])
    world.nodes("b")
    world.daemonset(pod=tolerating({"key": "dedicatde", "operator": "Exists"}))


@curable(TAINTS, "toleration-value-mismatch", "a b")
def wrong_value(world: World) -> None:
    world.nodes("a", taints=[GPU])
    world.nodes("b")
    world.daemonset(pod=tolerating({"key": "dedicated", "operator": "Equal", "value": "gup", "effect": "NoSchedule"}))


@curable(TAINTS, "toleration-effect-mismatch", "a b")
def wrong_effect(world: World) -> None:
    world.nodes("a", taints=[GPU])
    world.nodes("b")
    world.daemonset(pod=tolerating({"key": "dedicated", "value": "gpu", "effect": "NoExecute"}))


@curable(TAINTS, "toleration-effect-mismatch", "a b")
def one_effect_of_two(world: World) -> None:
    world.nodes("a", taints=[GPU, taint("dedicated", "NoExecute", "gpu")])
    world.nodes("b")
    world.daemonset(pod=tolerating({"key": "dedicated", "value": "gpu", "effect": "NoExecute"}))


@curable(TAINTS, "toleration-seconds-churn", "a b")
def seconds_that_end(world: World) -> None:
    world.nodes("a", taints=[taint("dedicated", "NoExecute", "gpu")])
    world.nodes("b")
    finite = {"key": "dedicated", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 2}
    world.daemonset(pod=tolerating(finite), rests=False)
    world.has_pods("a", "b")


@curable(TAINTS, "startup-taint", "a b", says="the taint is lifted when this very daemon runs")
def bootstrap_deadlock(world: World) -> None:
    world.name = "cilium"
    world.nodes("a", taints=[taint("node.cilium.io/agent-not-ready", "NoExecute", "true")])
    world.nodes("b")
    world.daemonset()


@curable(TAINTS, "node-not-ready", "a b", says=PLUGIN_FIRST)
def network_plugin_kept_out(world: World) -> None:
    """The node gets ready when its plugin runs; the node lifecycle controller keeps the plugin out till then."""
    world.name = "cilium"
    world.nodes("a", fake=False, conditions={"Ready": "False"})
    world.nodes("b")
    world.tells("a", "Ready", "False", "container runtime network not ready: cni plugin not initialized")
    world.is_tainted("a")
    world.rising["a"] = "Ready", "True"
    world.daemonset(pod={"hostNetwork": True})


@curable(TAINTS, "node-condition-taint", "a b", says=PLUGIN_FIRST)
def network_plugin_without_the_hosts_network(world: World) -> None:
    """The controller tolerates network-unavailable for pods with hostNetwork alone."""
    world.name = "calico-node"
    world.nodes("a", fake=False, conditions={"NetworkUnavailable": "True"})
    world.nodes("b")
    world.is_tainted("a")
    world.rising["a"] = "NetworkUnavailable", "False"
    world.daemonset()


@curable(TAINTS, "startup-taint", "a b", says="a cloud controller has to run before nodes are initialised")
def cloud_controller_kept_out(world: World) -> None:
    world.name = "aws-cloud-controller-manager"
    world.nodes("a", taints=[taint("node.cloudprovider.kubernetes.io/uninitialized", "NoSchedule", "true")])
    world.nodes("b")
    world.daemonset()


@curable(TAINTS, "startup-taint", "a b", says="the taint is lifted when this very daemon runs")
def storage_driver_kept_out(world: World) -> None:
    world.name = "ebs-csi-node"
    world.nodes("a", taints=[taint("ebs.csi.aws.com/agent-not-ready", "NoExecute")])
    world.nodes("b")
    world.daemonset()
