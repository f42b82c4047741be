"""What a cure has to work with: a namespace, nodes and one DaemonSet of its own, and a kubelet where kwok plays none."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cluster import play
from cluster.api import STRATEGIC_PATCH, Object, wait_until
from cluster.command import dscov, report
from cluster.handle import Cluster
from cluster.objects import daemonset, node

NOW = ("--node-grace", "0s", "--pod-grace", "0s")
SECONDS = 60.0


@dataclass
class World:
    """One namespace, with nodes whose names are its own and which its DaemonSets select.

    `bare` are the nodes without kwok: there happens what a test writes, and `kubelet` ends the pods that are deleted.
    `rising` are those of them with a condition (type, status) that holds once the daemon runs there.
    """

    cluster: Cluster
    namespace: str
    make_nodes: Callable[..., None]
    name: str = "agent"
    bare: set[str] = field(default_factory=set)
    rising: dict[str, tuple[str, str]] = field(default_factory=dict)
    beside: list[Object] = field(default_factory=list)

    def on(self, suffix: str) -> str:
        """The whole name of a node."""
        return f"{self.namespace}-{suffix}"

    def nodes(self, *suffixes: str, **more: Any) -> None:
        """Nodes that the DaemonSet selects."""
        labels = {"world": self.namespace, **more.pop("labels", {})}
        self.make_nodes(*(node(self.on(suffix), labels=labels, **more) for suffix in suffixes))
        if more.get("fake") is False:
            self.bare.update(suffixes)

    def change_node(self, suffix: str, change: Object) -> None:
        """Patch a node."""
        self.cluster.api.patch({"kind": "Node", "metadata": {"name": self.on(suffix)}}, change)

    def tells(self, suffix: str, kind: str, status: str, message: str = "") -> None:
        """Be the kubelet of a node: write a condition of it."""
        condition = {"type": kind, "status": status, "reason": "Told", "message": message}
        thing = {"kind": "Node", "metadata": {"name": self.on(suffix)}}
        self.cluster.api.patch(
            thing, {"status": {"conditions": [condition]}}, content=STRATEGIC_PATCH, subresource="status"
        )

    def is_tainted(self, suffix: str) -> None:
        """Wait until the node lifecycle controller has tainted a node."""

        def tainted() -> bool:
            return bool(self.cluster.api.get("Node", self.on(suffix))["spec"].get("taints"))

        wait_until(tainted, SECONDS, f"a taint of {suffix}")

    def daemonset(self, *, pod: Object | None = None, rests: bool = True, selects: bool = True, **more: Any) -> Object:
        """The DaemonSet; at rest where it can come to rest. One that does not select the world goes everywhere."""
        pod = {**(pod or {})}
        if selects:
            pod["nodeSelector"] = {"world": self.namespace, **pod.get("nodeSelector", {})}
        annotations = more.pop("annotations", {})
        wanted = daemonset(self.name, self.namespace, pod=pod, **more)
        wanted["metadata"]["annotations"] = annotations
        made = self.cluster.api.create(wanted)
        if rests:
            self.rests()
        return made

    def change(self, change: Object) -> None:
        """Patch the DaemonSet, and wait until the controller has seen it."""
        self.cluster.api.patch({"kind": "DaemonSet"} | self.now(), change)
        wait_until(self.seen, SECONDS, "a look at the change")

    def now(self) -> Object:
        """The DaemonSet as it is now."""
        return self.cluster.api.get("DaemonSet", self.name, self.namespace)

    def seen(self) -> bool:
        """Whether the controller has seen the last change."""
        found = self.now()
        return bool(found["status"].get("observedGeneration", 0) >= found["metadata"]["generation"])

    def rests(self) -> None:
        """Wait until all that is wanted is available."""

        def settled() -> bool:
            status = self.now()["status"]
            return self.seen() and status.get("desiredNumberScheduled", 0) == status.get("numberAvailable", 0)

        wait_until(settled, SECONDS, "the DaemonSet at rest")

    # -- pods -------------------------------------------------------------------------------------------------------

    def pods(self, suffix: str = "") -> list[Object]:
        """The pods of the DaemonSet, those that are meant for one node or all; the oldest first."""
        found = [pod for pod in self.cluster.api.list("Pod", self.namespace) if self._is_own(pod)]
        found.sort(key=lambda pod: pod["metadata"]["creationTimestamp"])
        return [pod for pod in found if not suffix or _place(pod) == self.on(suffix)]

    def _is_own(self, pod: Object) -> bool:
        return any(owner["name"] == self.name for owner in pod["metadata"].get("ownerReferences", []))

    def has_pods(self, *suffixes: str) -> None:
        """Wait until there is a pod for each of these nodes."""
        wait_until(lambda: all(self.pods(suffix) for suffix in suffixes), SECONDS, f"pods for {suffixes}")

    def ready(self, *suffixes: str) -> None:
        """Wait until the pods on these nodes are ready."""
        wait_until(lambda: self.covered() >= set(suffixes), SECONDS, f"ready pods on {suffixes}")

    def bound(self, suffix: str) -> Object:
        """The pod on a node, once it is bound there."""

        def there() -> bool:
            return any(pod["spec"].get("nodeName") for pod in self.pods(suffix))

        wait_until(there, SECONDS, f"a bound pod on {suffix}")
        return next(pod for pod in self.pods(suffix) if pod["spec"].get("nodeName"))

    def refused(self, suffix: str = "") -> None:
        """Wait until the scheduler has said no to the pod for a node, or to any."""

        def told() -> bool:
            spoken = (c for pod in self.pods(suffix) for c in pod["status"].get("conditions", []))
            return any(c.get("reason") == "Unschedulable" for c in spoken)

        wait_until(told, SECONDS, f"a refusal of the pod for {suffix}")

    def plays(self, suffix: str, status: Callable[[Object], Object]) -> Object:
        """Be the kubelet of a node: write the status that the function gives for the pod there; the pod."""
        pod = self.bound(suffix)
        return play.write(self.cluster.api, pod, status(pod))

    def covered(self) -> set[str]:
        """The nodes with a ready pod, without the namespace."""
        return {_place(pod).removeprefix(f"{self.namespace}-") for pod in self.pods() if is_ready(pod)}

    def served(self) -> set[str]:
        """The nodes that a pod is there or meant for, whatever its state, unless it is going."""
        live = [pod for pod in self.pods() if not pod["metadata"].get("deletionTimestamp")]
        return {_place(pod).removeprefix(f"{self.namespace}-") for pod in live}

    def outdated(self) -> list[str]:
        """The pods that are of an older template than the newest and not going."""
        newest = self.now()["metadata"]["annotations"]["deprecated.daemonset.template.generation"]
        live = [pod for pod in self.pods() if not pod["metadata"].get("deletionTimestamp")]
        return [
            pod["metadata"]["name"] for pod in live if pod["metadata"]["labels"]["pod-template-generation"] != newest
        ]

    @contextlib.contextmanager
    def kubelet(self, *, but: tuple[str, ...] = ()) -> Iterator[None]:
        """Play the kubelets of the bare nodes for as long as a `with` block lasts."""
        done = threading.Event()
        mine = self.bare.difference(but)

        def work() -> None:
            while mine and not done.wait(0.2):
                self._play(mine)

        worker = threading.Thread(target=work)
        worker.start()
        try:
            yield
        finally:
            done.set()
            worker.join()

    def _play(self, suffixes: set[str]) -> None:
        """End the pods that are deleted, and start those that are new on the nodes that wait for them."""
        for suffix in suffixes:
            for pod in self.pods(suffix):
                if pod["metadata"].get("deletionTimestamp"):
                    self.cluster.api.delete(pod, now=True)
                elif suffix in self.rising and pod["spec"].get("nodeName") and not is_ready(pod):
                    play.write(self.cluster.api, pod, play.ready(pod))
                    self.tells(suffix, *self.rising[suffix])

    # -- the others ---------------------------------------------------------------------------------------------------

    def tenant(self, suffix: str, *, container: Object | None = None) -> None:
        """A ready pod of somebody else on a node, of no priority."""
        image = {"name": "c", "image": "registry.example/tenant:1", **(container or {})}
        self.other_pod("tenant", {"nodeName": self.on(suffix), "containers": [image]})

    def other_pod(self, name: str, spec: Object) -> None:
        """A pod of somebody else, once it is ready."""
        meta = {"name": name, "namespace": self.namespace, "labels": {"app": name}}
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": meta,
            "spec": {"terminationGracePeriodSeconds": 1, **spec},
        }
        # The server knows a new priority class only after a moment.
        wait_until(lambda: not self.cluster.api.create_all([pod]), SECONDS, f"pod {name}")
        wait_until(lambda: is_ready(self.cluster.api.get("Pod", name, self.namespace)), SECONDS, f"{name} ready")

    def priority_class(self, suffix: str, value: int) -> None:
        """A PriorityClass that goes with the test."""
        self._beside("scheduling.k8s.io/v1", "PriorityClass", suffix, {"value": value})

    def runtime_class(self, suffix: str, selector: dict[str, str]) -> None:
        """A RuntimeClass that selects nodes and goes with the test."""
        scheduling = {"nodeSelector": selector}
        self._beside("node.k8s.io/v1", "RuntimeClass", suffix, {"handler": suffix, "scheduling": scheduling})

    def _beside(self, version: str, kind: str, suffix: str, more: Object) -> None:
        """An object of the whole cluster."""
        made = {"apiVersion": version, "kind": kind, "metadata": {"name": self.on(suffix)}, **more}
        self.cluster.api.create(made)
        self.beside.append(made)

    def annotate(self, annotations: dict[str, str]) -> None:
        """Annotate the namespace."""
        thing = {"kind": "Namespace", "metadata": {"name": self.namespace}}
        self.cluster.api.patch(thing, {"metadata": {"annotations": annotations}})

    def clean_up(self) -> None:
        """Remove what is of the whole cluster; namespace and nodes go by themselves."""
        self.cluster.api.delete_all(self.beside)

    # -- our command --------------------------------------------------------------------------------------------------

    def causes(self) -> set[str]:
        """The causes that are told of the DaemonSet."""
        told = report(self.cluster.kubeconfig, "-n", self.namespace, *NOW)
        (found,) = (one for one in told["daemonsets"] if one["name"] == self.name)
        return {one["cause"] for one in found["findings"]}

    def fix(self, state: dict[str, str], *words: str, verb: str = "fix") -> Any:
        """Run `fix` or `undo` in the namespace."""
        grace = NOW if verb == "fix" else ()
        return dscov(
            verb, "-n", self.namespace, "--kubeconfig", str(self.cluster.kubeconfig), *grace, *words, environ=state
        )


def is_ready(pod: Object) -> bool:
    """Whether a pod says that it is ready and is not going."""
    going = pod["metadata"].get("deletionTimestamp")
    return not going and any(
        c["type"] == "Ready" and c["status"] == "True" for c in pod["status"].get("conditions", [])
    )


def _place(pod: Object) -> str:
    """The node a pod is on, or is meant for."""
    required = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    terms = required.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [])
    meant = [name for term in terms for field in term.get("matchFields", []) for name in field["values"]]
    return str(pod["spec"].get("nodeName") or next(iter(meant), ""))
