"""What is asked of a server: where each kind lies, in which pages and form, and which lists a look consists of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from dscov.kube.revisions import HASH_LABEL
from dscov.sources import wire

#: Objects in one page of a list that is read whole.
PAGE = "500"
#: Nodes or pods that are read as JSON; of more than these, all are read as protobuf.
FEW = "100"

#: From a few seconds ago will do: the server answers from memory.
CACHED = ("resourceVersion", "0")
#: Every pod that a DaemonSet's controller made carries this label; orphans that it would adopt do not.
MADE_BY_CONTROLLER = ("labelSelector", HASH_LABEL)

Query = tuple[tuple[str, str], ...]


class Kind(NamedTuple):
    """Where the objects of a kind are; `shape` is set for those that are read as protobuf."""

    kind: str
    group: str
    plural: str
    namespaced: bool = True
    shape: type[wire.Wire] | None = None

    def path(self, namespace: str) -> str:
        """The path of its list."""
        root = f"/apis/{self.group}" if "/" in self.group else f"/api/{self.group}"
        return (
            f"{root}/namespaces/{namespace}/{self.plural}" if namespace and self.namespaced else f"{root}/{self.plural}"
        )


NODES: Kind = Kind("Node", "v1", "nodes", namespaced=False, shape=wire.Node)
PODS: Kind = Kind("Pod", "v1", "pods", shape=wire.Pod)
#: Pods as JSON, where the whole object is wanted.
WHOLE_PODS: Kind = PODS._replace(shape=None)
DAEMONSETS: Kind = Kind("DaemonSet", "apps/v1", "daemonsets")
REVISIONS: Kind = Kind("ControllerRevision", "apps/v1", "controllerrevisions")
EVENTS: Kind = Kind("Event", "v1", "events")
NAMESPACES: Kind = Kind("Namespace", "v1", "namespaces", namespaced=False)
QUOTAS: Kind = Kind("ResourceQuota", "v1", "resourcequotas")
PRIORITIES: Kind = Kind("PriorityClass", "scheduling.k8s.io/v1", "priorityclasses", namespaced=False)
RUNTIMES: Kind = Kind("RuntimeClass", "node.k8s.io/v1", "runtimeclasses", namespaced=False)
LEASES: Kind = Kind("Lease", "coordination.k8s.io/v1", "leases")
SCHEDULER: Kind = Kind("Scheduler", "config.openshift.io/v1", "schedulers", namespaced=False)


class Ask(NamedTuple):
    """One list to read. `namespace` empty: of all namespaces. `quiet`: that it is not served matters to nobody.

    `node` narrows pods down to those bound to that node; empty means those bound to none, None means all. What `adds`
    does not stand for what is known so far: a pod that it has no more may be bound by now.
    """

    kind: Kind
    namespace: str = ""
    query: Query = ()
    quiet: bool = False
    node: str | None = None
    adds: bool = False

    @property
    def parameters(self) -> Query:
        """All that follows the path."""
        return self.query if self.node is None else (*self.query, ("fieldSelector", f"spec.nodeName={self.node}"))

    def page(self, token: str, *, few: bool) -> Query:
        """What asks for the page that `token` continues with; with `few`, for the first FEW objects of this moment.

        Of what a server has in memory it gives no pages.
        """
        if few:
            return (*(pair for pair in self.parameters if pair != CACHED), ("limit", FEW))
        limit = () if CACHED in self.query else (("limit", PAGE),)
        return (*self.parameters, *limit, *((("continue", token),) if token else ()))

    def renews(self, noun: Any) -> bool:
        """Whether the answer stands for what is known of `noun` so far; events and the like only add up."""
        if self.adds or self.kind.kind not in {"Node", "Pod", "DaemonSet"}:
            return False
        return self.node is None or noun.node_name == self.node


def first(namespace: str) -> list[Ask]:
    """The lists that every answer rests on."""
    return [
        Ask(PODS, namespace, (MADE_BY_CONTROLLER, CACHED)),
        Ask(NODES, query=(CACHED,)),
        Ask(DAEMONSETS, namespace, (CACHED,)),
        Ask(REVISIONS, namespace, (CACHED,)),
    ]


def unbound(namespace: str) -> Ask:
    """The pods of DaemonSets that are bound to no node: whole, and of this moment."""
    return Ask(WHOLE_PODS, namespace, (MADE_BY_CONTROLLER,), node="")


def pods_on(namespace: str, nodes: Iterable[str]) -> list[Ask]:
    """All pods on these nodes: whole, and of this moment."""
    return [Ask(WHOLE_PODS, namespace, node=node) for node in nodes]


def all_pods(namespace: str) -> Ask:
    """All pods that DaemonSets made, of this moment."""
    return Ask(PODS, namespace, (MADE_BY_CONTROLLER,))


def wanted(namespace: str) -> list[Ask]:
    """What says where pods are wanted: nodes and DaemonSets, of this moment."""
    return [Ask(NODES), Ask(DAEMONSETS, namespace)]


def reasons(namespace: str) -> list[Ask]:
    """What the causes need beside nodes and pods, where something is wrong: troubles, and what undoes them."""
    return [
        Ask(EVENTS, namespace, (("fieldSelector", "type=Warning"), CACHED)),
        Ask(EVENTS, namespace, (("fieldSelector", "involvedObject.kind=DaemonSet,reason=SuccessfulCreate"), CACHED)),
        Ask(EVENTS, namespace, (("fieldSelector", "involvedObject.kind=Pod,reason=Preempted"), CACHED)),
        Ask(EVENTS, namespace, (("fieldSelector", "involvedObject.kind=Pod,reason=Pulling"), CACHED)),
        Ask(NAMESPACES, query=(CACHED,), quiet=True),
        Ask(QUOTAS, namespace, (CACHED,), quiet=True),
        Ask(PRIORITIES, query=(CACHED,), quiet=True),
        Ask(RUNTIMES, query=(CACHED,), quiet=True),
        Ask(LEASES, "kube-system", (CACHED,), quiet=True),
    ]


def everything() -> list[Ask]:
    """Every list that a reading of a whole cluster may ask for: what a user must be allowed to see all."""
    lists = [*first(""), unbound(""), all_pods(""), *wanted(""), *reasons("")]
    return [*lists, Ask(SCHEDULER, quiet=True)]
