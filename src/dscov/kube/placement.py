"""THE ORACLE: may the DaemonSet controller place this template on this node? Yes, or no because ...

Rules: NodeShouldRunDaemonPod in pkg/controller/daemon/daemon_controller.go, Kubernetes v1.37.2 (the same decisions
since 1.24); the namespace rule of OpenShift: pkg/controller/daemon/patch_nodeselector.go of openshift/kubernetes.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from dscov.kube.affinity import Affinity
from dscov.kube.requirements import Requirement
from dscov.kube.selectors import Selector
from dscov.kube.taints import NO_EXECUTE, Taint, Toleration, untolerated


class Template(msgspec.Struct, frozen=True):
    """What the controller reads of a pod template, and nothing else. `tolerations` are the effective ones."""

    node_name: str = ""
    node_selector: tuple[Requirement, ...] = ()
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    own_tolerations: tuple[Toleration, ...] = ()
    host_network: bool = False


class Reason(msgspec.Struct, frozen=True):
    """One thing that keeps the controller from placing a pod.

    `kind` is nodeName, nodeSelector, nodeAffinity, taint or projectSelector. What it rests on: the `entry` of the nodeSelector,
    the untolerated `taint`, the `selector` of the OpenShift project, or the template's own nodeName in `name`.
    """

    kind: str
    entry: Requirement | None = None
    taint: Taint | None = None
    selector: Selector | None = None
    name: str = ""

    def __str__(self) -> str:
        """The kind; a taint as `taint:<key>:<effect>`."""
        return f"taint:{self.taint.key}:{self.taint.effect}" if self.taint else self.kind


class Placement(msgspec.Struct, frozen=True):
    """The controller's two answers, and every reason for a no: in the order of its checks, the deciding taint first."""

    reasons: tuple[Reason, ...] = ()
    should_continue_running: bool = True

    @property
    def should_run(self) -> bool:
        """Whether the controller wants a pod on the node."""
        return not self.reasons


YES = Placement()


def place(
    template: Template,
    *,
    name: str,
    labels: Mapping[str, str],
    taints: tuple[Taint, ...],
    project: tuple[Selector, ...] = (),
    comparison_operators: bool = True,
) -> Placement:
    """Decide one node. `project` are OpenShift's selectors of the namespace, tested only where upstream says yes."""
    barred: list[Reason] = []
    if template.node_name and template.node_name != name:
        barred.append(Reason("nodeName", name=template.node_name))
    barred += [Reason("nodeSelector", entry=e) for e in template.node_selector if not e.matches(labels)]
    if template.affinity and not template.affinity.matches(name, labels):
        barred.append(Reason("nodeAffinity"))
    blocking = untolerated(taints, template.tolerations, comparison_operators=comparison_operators) if taints else ()
    reasons = (*barred, *(Reason("taint", taint=taint) for taint in blocking))
    if reasons:
        return Placement(reasons, not barred and all(taint.effect != NO_EXECUTE for taint in blocking))
    refused = tuple(Reason("projectSelector", selector=s) for s in project if not s.matches(labels))
    return Placement(refused, should_continue_running=False) if refused else YES
