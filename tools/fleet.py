"""A made-up fleet: which nodes and DaemonSets there are, what is wrong, and what the controller counts.

All of it follows from the arguments. Of twenty DaemonSets one is everywhere, twelve want one pool, five want two and
two want four, so that a hundred of them have about twenty pods a node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from apinodes import Machine
from apiobjects import DAY, HOUR, Workload, digest, expression

FAULTS = {
    "taint": "nodes with a taint that few tolerate, put there before any pod came",
    "misscheduled": "nodes with such a taint, put there when the pods were running",
    "lost": "nodes whose kubelet is silent; their pods are not Ready",
    "terminating": "pods on lost nodes that somebody deleted",
    "crash": "pods in CrashLoopBackOff",
    "image": "pods in ImagePullBackOff",
    "unready": "pods whose readiness probe fails",
    "pending": "pods that the scheduler could not bind",
    "missing": "DaemonSets whose quota is used up: the last pods were never created",
    "outdated": "DaemonSets in the middle of a rollout",
}
POOLS = {
    "general-a": "",
    "general-b": "",
    "general-c": "",
    "general-d": "",
    "compute": "",
    "memory": "",
    "storage": "",
    "gpu": "nvidia.com/gpu=present:NoSchedule",
    "spot": "capacity=spot:NoSchedule",
    "ingress": "dedicated=ingress:NoSchedule",
}
POOL_LABEL = "example.com/pool"
SPACES = ("kube-system", "logging", "monitoring", "networking", "security", "storage", "tracing", "platform")
NAMES = ("log-agent", "node-exporter", "cni", "csi-node", "node-cache", "trace-agent", "scanner", "tuner")
#: One node in so many has the fault; the second number spreads them.
OF_NODES = {"taint": (97, 5), "misscheduled": (113, 7), "lost": (199, 11)}
EXTRA_TAINT = {"taint": "maintenance=planned:NoSchedule", "misscheduled": "draining=true:NoSchedule"}
#: So many pods in a thousand have the fault.
OF_PODS = ("crash", "crash", "image", "unready", "pending")


@dataclass(frozen=True)
class Daemon:
    """A workload with the pools it wants (none is everywhere, every taint tolerated)."""

    work: Workload
    pools: frozenset[str]
    short_of_quota: bool
    rolling: bool


@dataclass(frozen=True)
class Host:
    """A machine with what the placement needs of it."""

    machine: Machine
    pool: str
    fault: str

    def wanted_by(self, daemon: Daemon) -> tuple[bool, bool]:
        """The controller's two answers: a pod should be made here, a pod here may stay."""
        if not daemon.pools:
            return True, True
        selected = self.pool in daemon.pools
        return selected and not self.fault, selected


class Fleet:
    """All hosts and daemons of the arguments."""

    def __init__(self, nodes: int, daemonsets: int, seed: int, faults: frozenset[str]) -> None:
        self.size, self.count, self.seed, self.faults = nodes, daemonsets, seed, faults

    @cached_property
    def daemons(self) -> list[Daemon]:
        """The DaemonSets in the order in which a list has them."""
        made = [self.daemon(index) for index in range(self.count)]
        return sorted(made, key=lambda daemon: (daemon.work.namespace, daemon.work.name))

    @cached_property
    def hosts(self) -> list[Host]:
        """The nodes; pools are of one size."""
        return [self.host(index) for index in range(self.size)]

    @cached_property
    def images(self) -> list[str]:
        """What the DaemonSets run."""
        return sorted({daemon.work.image for daemon in self.daemons})

    def host(self, index: int) -> Host:
        """The node of a number."""
        pool = list(POOLS)[index * len(POOLS) // self.size]
        fault = self.fault_of_node(index)
        third, fourth = index // 250, index % 250 + 1
        machine = Machine(
            name=f"ip-10-20-{third}-{fourth}.eu-central-1.compute.internal",
            ip=f"10.20.{third}.{fourth}",
            labels={POOL_LABEL: pool, "eks.amazonaws.com/nodegroup": f"{pool}-2026"},
            taints=tuple(text for text in (POOLS[pool], EXTRA_TAINT.get(fault, "")) if text),
            zone=f"eu-central-1{'abc'[index % 3]}",
            age=(3 + index % 117) * DAY + index % HOUR,
            images=tuple(self.images[index % 3 :: 3][:25]),
            lost_since=7 * HOUR if fault == "lost" else 0,
        )
        return Host(machine, pool, fault)

    def fault_of_node(self, index: int) -> str:
        """What is wrong with a node, if anything is."""
        for fault, (every, start) in OF_NODES.items():
            if fault in self.faults and (index + self.seed) % every == start:
                return fault
        return ""

    def daemon(self, index: int) -> Daemon:
        """The DaemonSet of a number."""
        kind, pools, name = index % 20, list(POOLS), NAMES[index % len(NAMES)]
        count = 0 if kind == 0 else 1 if kind <= 12 else 2 if kind <= 17 else 4
        chosen = [pools[(index * 7 + step * 3) % len(pools)] for step in range(count)]
        rolling = "outdated" in self.faults and index % 10 == 4
        work = Workload(
            namespace=SPACES[index % len(SPACES)],
            name=f"{name}-{index:03}",
            image=f"registry.example.com/platform/{name}-{index:03}:1.{index % 9}.{index % 7 + 3}",
            tolerations=tuple(POOLS[pool] for pool in chosen if POOLS[pool]) if count else ("*",),
            selector={POOL_LABEL: chosen[0]} if count == 1 else {},
            terms=(expression(POOL_LABEL, "In", *sorted(chosen)),) if count > 1 else (),
            host_network=kind == 0,
            ports=(9000 + index,),
            requests={"cpu": "50m", "memory": "64Mi"},
            limits={"memory": "256Mi"},
            args=("--node=$(NODE_NAME)", f"--listen=:{9000 + index}", "--log-format=json", f"--shard={index}"),
            host_paths=("/var/log",),
            priority_class="" if count else "system-node-critical",
            revision=2 if rolling else 1,
            age=(90 + index) * DAY,
        )
        return Daemon(work, frozenset(chosen), "missing" in self.faults and index % 25 == 3, rolling)

    def pods(self, daemon: Daemon) -> Iterator[tuple[Host, str]]:
        """The node and the state of every pod of a DaemonSet; a node has one at most."""
        created = self.created(daemon)
        nth = 0
        for host in self.hosts:
            run, keep = host.wanted_by(daemon)
            state = self.state(daemon, host, created=nth < created) if keep else "absent"
            nth += run
            if state != "absent":
                yield host, state

    def desired(self, daemon: Daemon) -> int:
        """On how many nodes the controller wants a pod."""
        return sum(host.wanted_by(daemon)[0] for host in self.hosts)

    def created(self, daemon: Daemon) -> int:
        """How many of them got one before the quota was used up."""
        desired = self.desired(daemon)
        return desired - max(1, desired // 20) if daemon.short_of_quota else desired

    def state(self, daemon: Daemon, host: Host, *, created: bool) -> str:
        """What the pod of a pair is like, where a pod may stay; `absent` is none."""
        if host.fault == "lost":
            deleted = not daemon.pools and "terminating" in self.faults and self.drawn(daemon, host) % 2 == 0
            return "terminating" if deleted else "lost"
        if not host.wanted_by(daemon)[0]:
            return "running" if host.fault == "misscheduled" else "absent"
        return self.fault_of_pod(daemon, host) if created else "absent"

    def fault_of_pod(self, daemon: Daemon, host: Host) -> str:
        """What chance has for a pod on a healthy node."""
        number = self.drawn(daemon, host)
        fault = OF_PODS[number % 1000] if number % 1000 < len(OF_PODS) else ""
        if fault in self.faults:
            return fault
        return "outdated" if daemon.rolling and number % 3 == 0 else "running"

    def drawn(self, daemon: Daemon, host: Host) -> int:
        """The pair's own number."""
        return int(digest("pair", self.seed, daemon.work.name, host.machine.name)[:8], 16)

    def counters(self, daemon: Daemon) -> dict[str, int]:
        """What the controller writes into `.status`."""
        desired = self.desired(daemon)
        there = [(host.wanted_by(daemon)[0], state) for host, state in self.pods(daemon)]
        current = [state for run, state in there if run]
        ready = sum(state in {"running", "outdated"} for state in current)
        return {
            "currentNumberScheduled": len(current),
            "desiredNumberScheduled": desired,
            "numberAvailable": ready,
            "numberMisscheduled": len(there) - len(current),
            "numberReady": ready,
            "numberUnavailable": desired - ready,
            "updatedNumberScheduled": sum(state != "outdated" for state in current),
        }
