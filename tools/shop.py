"""The example cluster `shop`: its machines, its DaemonSets, and what is wrong with them.

Where each DaemonSet is eligible is written down here by hand (`on`), not computed: tests compare it with the oracle.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from apinodes import Machine
from apiobjects import DAY, HOUR, Json, Workload, expression

LOST, LEAVING, UNLABELLED = "general-07", "general-10", "general-08"
CONTROL_PLANE = "node-role.kubernetes.io/control-plane:NoSchedule"
GPU, SPOT, ARM = "nvidia.com/gpu=present:NoSchedule", "capacity=spot:NoSchedule", "arch=arm64:NoSchedule"
EDGE, WINDOWS = "dedicated=edge:NoSchedule", "os=windows:NoSchedule"
POOL = "shop.example.com/pool"
LINUX = {"kubernetes.io/os": "linux"}
LOST_SINCE = 7 * HOUR
REGISTRY = "registry.example.com"


@dataclass(frozen=True)
class Pool:
    """Machines of one kind."""

    name: str
    count: int
    kind: str
    cores: int
    memory: int
    network: int
    labels: Json = field(default_factory=dict)
    taints: tuple[str, ...] = ()
    architecture: str = "amd64"
    system: str = "linux"
    extended: Json = field(default_factory=dict)
    digits: int = 1

    def names(self) -> tuple[str, ...]:
        """The names of its nodes."""
        return tuple(f"{self.name}-{number:0{self.digits}}" for number in range(1, self.count + 1))


POOLS = (
    Pool("cp", 3, "m6i.xlarge", 4, 16, 1, {"node-role.kubernetes.io/control-plane": ""}, (CONTROL_PLANE,)),
    Pool("general", 10, "m6i.2xlarge", 8, 32, 2, {"example.com/csi": "true"}, digits=2),
    Pool("storage", 3, "i4i.2xlarge", 8, 64, 3, {"example.com/csi": "true", "disk": "ssd"}),
    Pool("gpu", 4, "g6.4xlarge", 16, 64, 4, {"accelerator": "nvidia"}, (GPU,), extended={"nvidia.com/gpu": "1"}),
    Pool("spot", 4, "m6a.2xlarge", 8, 32, 5, {"capacity": "spot"}, (SPOT,)),
    Pool("arm", 3, "m7g.2xlarge", 8, 32, 6, {}, (ARM,), architecture="arm64"),
    Pool("edge", 2, "c6in.xlarge", 4, 8, 7, {"role": "edge"}, (EDGE,)),
    Pool("win", 2, "m6i.2xlarge", 8, 32, 8, {}, (WINDOWS,), system="windows"),
)
NAMES = {pool.name: pool.names() for pool in POOLS}
WORKING = tuple(name for name in NAMES["general"] if name not in {LOST, LEAVING})
EVERY_LINUX = tuple(name for pool in POOLS if pool.system == "linux" for name in pool.names())


def machine(pool: Pool, position: int, images: tuple[str, ...]) -> Machine:
    """The node of a pool at a position, with what is peculiar to it."""
    name = pool.names()[position]
    labels = {POOL: "control-plane" if pool.name == "cp" else pool.name, **pool.labels}
    if name == UNLABELLED:
        del labels["example.com/csi"]
    if name == "gpu-4":
        labels["accelerator"] = "NVIDIA"
    windows = pool.system == "windows"
    leaving = ("ToBeDeletedByClusterAutoscaler=1778577420:NoSchedule",) if name == LEAVING else ()
    return Machine(
        name=name,
        ip=f"10.0.{pool.network}.{position + 10}",
        labels=labels,
        taints=(*pool.taints, *leaving),
        zone=f"eu-central-1{'abc'[position % 3]}",
        kind=pool.kind,
        cores=pool.cores,
        memory=pool.memory,
        system=pool.system,
        architecture=pool.architecture,
        image="Windows Server 2022 Datacenter" if windows else "Debian GNU/Linux 12 (bookworm)",
        kernel="10.0.20348.2849" if windows else f"6.1.0-32-cloud-{pool.architecture}",
        age=(110 - 7 * position) * DAY + pool.network * HOUR,
        images=images,
        lost_since=LOST_SINCE if name == LOST else 0,
        cordoned=name == LEAVING,
        extended=pool.extended,
    )


@dataclass(frozen=True)
class Daemon:
    """A workload, the nodes where it is eligible, those where it is not and has a pod, and the states that stand out.

    A state is `running` unless `odd` names another for the node; `old` are nodes with a pod of the revision before.
    """

    work: Workload
    on: tuple[str, ...]
    kept: tuple[str, ...] = ()
    odd: dict[str, str] = field(default_factory=dict)
    old: tuple[str, ...] = ()

    def state(self, name: str) -> str:
        """The state of its pod on a node; `absent` is none."""
        return self.odd.get(name, "lost" if name == LOST else "running")


def work(namespace: str, name: str, image: str, *tolerations: str, **more: object) -> Workload:
    """A workload with the requests of an agent."""
    given: dict[str, object] = {"requests": {"cpu": "50m", "memory": "96Mi"}, "limits": {"memory": "256Mi"}, **more}
    return Workload(namespace, name, f"{REGISTRY}/{image}", tolerations=tolerations, **given)  # type: ignore[arg-type]


LATE = (LOST, LEAVING)
GENERAL = {POOL: "general"}

DAEMONS = (
    Daemon(
        work("backup", "snapshot-mover", "backup/snapshot-mover:2.3.1", selector={POOL: "storage"}),
        on=NAMES["storage"],
        odd={"storage-3": "terminating"},
    ),
    Daemon(
        work(
            "gpu-operator",
            "gpu-device-plugin",
            "nvidia/k8s-device-plugin:0.17.1",
            "nvidia.com/gpu:NoSchedule",
            selector={"accelerator": "nvidia"},
            priority_class="system-node-critical",
            host_paths=("/var/lib/kubelet/device-plugins",),
        ),
        on=("gpu-1", "gpu-2", "gpu-3"),
    ),
    Daemon(
        work(
            "ingress",
            "edge-proxy",
            "ingress/edge-proxy:1.12.4",
            EDGE,
            terms=(expression("role", "In", "edge"), expression("disk", "In", "ssd")),
            host_network=True,
            ports=(80, 443),
        ),
        on=(*NAMES["edge"], *NAMES["storage"]),
    ),
    Daemon(
        work(
            "kube-system",
            "kube-proxy",
            "kube-proxy:1.31.6",
            "*",
            selector=LINUX,
            host_network=True,
            priority_class="system-node-critical",
            host_paths=("/lib/modules",),
            args=("--config=/var/lib/kube-proxy/config.conf", "--hostname-override=$(NODE_NAME)"),
        ),
        on=EVERY_LINUX,
    ),
    Daemon(
        work(
            "logging",
            "log-agent",
            "logging/log-agent:3.2.2",
            CONTROL_PLANE.removesuffix(":NoSchedule"),
            SPOT,
            ARM,
            EDGE,
            host_paths=("/var/log", "/var/lib/log-agent"),
        ),
        on=(*NAMES["cp"], *WORKING, *NAMES["storage"], *NAMES["spot"], *NAMES["arm"], *NAMES["edge"]),
        kept=LATE,
    ),
    Daemon(
        work(
            "logging",
            "log-agent-windows",
            "logging/log-agent-windows:3.2.2",
            WINDOWS,
            selector={"kubernetes.io/os": "windows"},
        ),
        on=NAMES["win"],
    ),
    Daemon(
        work(
            "monitoring",
            "node-exporter",
            "monitoring/node-exporter:1.9.1",
            CONTROL_PLANE,
            SPOT,
            ARM,
            EDGE,
            "nvidia.com/gpu=true:NoSchedule",
            host_network=True,
            ports=(9100,),
            host_paths=("/proc", "/sys"),
        ),
        on=(*NAMES["cp"], *WORKING, *NAMES["storage"], *NAMES["spot"], *NAMES["arm"], *NAMES["edge"]),
        kept=LATE,
        odd={"storage-2": "port-taken"},
    ),
    Daemon(
        work(
            "networking",
            "cni-agent",
            "networking/cni-agent:1.17.2",
            "*",
            selector=LINUX,
            host_network=True,
            priority_class="system-node-critical",
            host_paths=("/opt/cni/bin", "/etc/cni/net.d"),
            revision=2,
            edited=8 * HOUR,
        ),
        on=EVERY_LINUX,
        odd={LOST: "lost-terminating"},
        old=tuple(
            name
            for name in EVERY_LINUX
            if name.startswith(("general-0", "gpu", "spot", "arm")) and name != "general-01"
        ),
    ),
    Daemon(
        work("observability", "profiler", "observability/profiler:0.9.4", selector=GENERAL, ports=(4040,)),
        on=WORKING,
        kept=LATE,
        odd={"general-02": "unready"},
    ),
    Daemon(
        work("platform", "config-sync", "platform/config-sync:4.0.2", selector=GENERAL),
        on=WORKING,
        kept=LATE,
        odd=dict.fromkeys(("general-05", "general-06", "general-09"), "absent"),
    ),
    Daemon(
        work(
            "security",
            "runtime-guard",
            "security/runtime-guard:5.1.3",
            CONTROL_PLANE,
            ARM,
            EDGE,
            "nvidia.com/gpu:NoSchedule",
            "capactiy=spot:NoSchedule",
            host_paths=("/sys/kernel/debug", "/lib/modules"),
        ),
        on=(*NAMES["cp"], *WORKING, *NAMES["storage"], *NAMES["gpu"], *NAMES["arm"], *NAMES["edge"]),
        kept=LATE,
        odd={"storage-1": "crash"},
    ),
    Daemon(
        work(
            "shop", "image-cache", "shop/image-cache:2026.5.3", ARM, terms=(expression(POOL, "In", "general", "arm"),)
        ),
        on=(*WORKING, *NAMES["arm"]),
        kept=LATE,
        odd=dict.fromkeys(NAMES["arm"], "no-arm-image"),
    ),
    Daemon(
        work(
            "storage",
            "csi-node",
            "storage/csi-node:1.33.0",
            selector={"example.com/csi": "true"},
            priority_class="system-node-critical",
            host_paths=("/var/lib/kubelet/plugins", "/dev"),
        ),
        on=(*(name for name in WORKING if name != UNLABELLED), *NAMES["storage"]),
        kept=LATE,
    ),
    Daemon(
        work(
            "tracing",
            "trace-agent",
            "tracing/trace-agent:1.61.0",
            selector=GENERAL,
            requests={"cpu": "100m", "memory": "512Mi"},
            limits={"memory": "512Mi"},
        ),
        on=WORKING,
        kept=LATE,
        odd={"general-03": "no-memory"},
    ),
)
