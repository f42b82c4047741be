"""What a provocation is, and what it has to work with: nodes, a DaemonSet and a namespace of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cluster import play
from cluster.api import Object, wait_until
from cluster.handle import Cluster
from cluster.objects import IMAGE, daemonset, node

LABEL = "dscov.test/case"
SECONDS = 120.0
EVERYTHING = [{"operator": "Exists"}]

Make = Callable[["Stage"], None]


@dataclass(frozen=True)
class Expected:
    """A verdict on one pair; the state is empty where it changes from moment to moment."""

    state: str
    gap: bool
    unwanted: bool
    causes: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Expected:
        """From `STATE [gap] [unwanted] CAUSE ...`; `-` for any state."""
        state, *rest = text.split()
        causes = tuple(word for word in rest if word not in {"gap", "unwanted"})
        return cls("" if state == "-" else state, "gap" in rest, "unwanted" in rest, causes)


@dataclass(frozen=True, kw_only=True)
class Provocation:
    """How to bring a situation about, and what is to be said of its DaemonSet `agent` then.

    `pairs` holds a verdict for each node by the end of its name; `survey` the findings that are about no single node;
    `says` a piece of a message that must be among the findings.
    """

    name: str
    make: Make
    pairs: dict[str, Expected]
    survey: tuple[str, ...] = ()
    says: str = ""

    @property
    def causes(self) -> set[str]:
        """All causes that are expected to speak."""
        return {cause for pair in self.pairs.values() for cause in pair.causes} | set(self.survey)


def provocation(into: list[Provocation], *, survey: str = "", says: str = "", **pairs: str) -> Callable[[Make], Make]:
    """Add a function that makes a situation to a table; its name names the case, its namespace and its nodes."""

    def add(make: Make) -> Make:
        expected = {suffix: Expected.read(text) for suffix, text in pairs.items()}
        name = make.__name__.replace("_", "-")
        into.append(Provocation(name=name, make=make, pairs=expected, survey=tuple(survey.split()), says=says))
        return make

    return add


@dataclass(frozen=True)
class Stage:
    """One case on a cluster. What is made here carries the case's name and touches no other case."""

    cluster: Cluster
    name: str

    def open(self, **metadata: Any) -> None:
        """Make the namespace, ready to take pods."""
        meta = {"name": self.name, **metadata}
        self.cluster.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
        self.wait(lambda: self.cluster.exists("ServiceAccount", "default", self.name), "a service account")

    def node(self, suffix: str = "a", *, labels: dict[str, str] | None = None, **more: Any) -> None:
        """A node of the case."""
        self.cluster.api.create(node(self.on(suffix), labels={LABEL: self.name, **(labels or {})}, **more))

    def on(self, suffix: str) -> str:
        """The whole name of a node."""
        return f"{self.name}-{suffix}"

    def daemonset(
        self, name: str = "agent", *, pod: Object | None = None, spec: Object | None = None, **more: Any
    ) -> Object:
        """A DaemonSet that selects the nodes of the case, and whatever else `pod` says."""
        own = dict(pod or {})
        own["nodeSelector"] = {LABEL: self.name, **own.get("nodeSelector", {})}
        return self.create(daemonset(name, self.name, pod=own, spec=spec, **more))

    def create(self, thing: Object) -> Object:
        """Create an object in the namespace of the case, if its kind has one."""
        made = self.cluster.api.create(thing)
        return {"apiVersion": thing["apiVersion"], "kind": thing["kind"]} | made

    def post(self, path: str, thing: Object) -> None:
        """Create an object of a kind that is seldom needed, at its URL path."""
        self.cluster.api.request("POST", path, thing)

    def tenant(
        self, suffix: str = "a", *, name: str = "tenant", container: Object | None = None, pod: Object | None = None
    ) -> None:
        """A pod of somebody else, running on a node."""
        spec = {
            "nodeName": self.on(suffix),
            "terminationGracePeriodSeconds": 1,
            "containers": [{"name": "c", "image": IMAGE, **(container or {})}],
            **(pod or {}),
        }
        meta = {"name": name, "namespace": self.name, "labels": {"app": name}}
        self.create({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
        self.wait(lambda: is_ready(self.cluster.api.get("Pod", name, self.name)), f"pod {name} ready")

    # -- the DaemonSet's pods ---------------------------------------------------------------------------------------

    def pods(self, suffix: str, of: str = "agent") -> list[Object]:
        """The pods of a DaemonSet that are meant for a node, the oldest first."""
        meant = [pod for pod in self.cluster.api.list("Pod", self.name) if _meant(pod, of, self.on(suffix))]
        return sorted(meant, key=lambda pod: pod["metadata"]["creationTimestamp"])

    def pod(self, suffix: str = "a", *, of: str = "agent", bound: bool = True, but: str = "") -> Object:
        """The pod for a node, once it is there (and bound, where asked); not the one with the uid `but`."""
        found: list[Object] = []

        def there() -> bool:
            found[:] = [
                pod
                for pod in self.pods(suffix, of)
                if pod["metadata"]["uid"] != but and (not bound or pod["spec"].get("nodeName"))
            ]
            return bool(found)

        self.wait(there, f"a pod of {of} for {self.on(suffix)}")
        return found[-1]

    def ready(self, *suffixes: str, of: str = "agent") -> None:
        """Wait until the pods on these nodes are ready; kwok makes them so."""
        for suffix in suffixes:
            self.wait(lambda on=suffix: any(map(is_ready, self.pods(on, of))), f"a ready pod on {self.on(suffix)}")

    def play(self, suffix: str, status: Callable[[Object], Object], *, of: str = "agent") -> Object:
        """Be the kubelet of a node: write the status that the function gives for the pod there; the pod."""
        pod = self.pod(suffix, of=of)
        play.write(self.cluster.api, pod, status(pod))
        return pod

    def refused(self, suffix: str = "a") -> None:
        """Wait until the scheduler has said no to the pod for a node."""

        def told() -> bool:
            return any(c.get("reason") == "Unschedulable" for pod in self.pods(suffix) for c in conditions(pod))

        self.wait(told, f"a refusal of the pod for {self.on(suffix)}")

    # -- events -----------------------------------------------------------------------------------------------------

    def event(self, about: Object, reason: str, message: str, *, kind: str = "Warning") -> None:
        """An event as a kubelet sends it."""
        meta, moment = about["metadata"], time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        namespace = meta.get("namespace", "default")
        involved = {"kind": about["kind"], "name": meta["name"], "namespace": meta.get("namespace", "")}
        self.create(
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": f"{meta['name']}.{time.time_ns():x}", "namespace": namespace},
                "involvedObject": involved | {"uid": meta["uid"], "apiVersion": "v1"},
                "reason": reason,
                "message": message,
                "type": kind,
                "count": 1,
                "firstTimestamp": moment,
                "lastTimestamp": moment,
                "source": {"component": "kubelet"},
            }
        )

    def told(self, reason: str, count: int = 1, *, of: str = "agent") -> None:
        """Wait until so many events of a reason tell of the DaemonSet."""

        def enough() -> bool:
            events = self.cluster.api.list("Event", self.name, fieldSelector=f"reason={reason}")
            return sum(e["involvedObject"]["name"] == of and (e.get("count") or 1) for e in events) >= count

        self.wait(enough, f"{count} events {reason} of {of}")

    def wait(self, reached: Callable[[], bool], what: str) -> None:
        """Wait for something in the case."""
        wait_until(reached, SECONDS, f"{self.name}: {what}")


def conditions(thing: Object) -> list[Object]:
    """The conditions in an object's status."""
    found: list[Object] = thing.get("status", {}).get("conditions", [])
    return found


def is_ready(pod: Object) -> bool:
    """Whether a pod says that it is ready and is not going."""
    going = pod["metadata"].get("deletionTimestamp")
    return not going and any(c["type"] == "Ready" and c["status"] == "True" for c in conditions(pod))


def _meant(pod: Object, of: str, on: str) -> bool:
    owners = [owner["name"] for owner in pod["metadata"].get("ownerReferences", [])]
    bound = pod["spec"].get("nodeName")
    return owners == [of] and (bound == on if bound else on in _aims(pod))


def _aims(pod: Object) -> list[str]:
    required = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    terms = required.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [])
    return [name for term in terms for field in term.get("matchFields", []) for name in field["values"]]
