"""Nodes as kubelets and the node lifecycle controller leave them."""

from __future__ import annotations

from dataclasses import dataclass, field

from apiobjects import DAY, WELL_KNOWN, Json, ago, digest, taint, uid, version_of

#: What each condition of a healthy node says: type, status, reason, message.
HEALTHY = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)


@dataclass(frozen=True)
class Machine:
    """A node of a pool. Sizes are in cores and GiB, ages in seconds before the clock."""

    name: str
    ip: str
    labels: Json = field(default_factory=dict)
    taints: tuple[str, ...] = ()
    zone: str = "eu-central-1a"
    kind: str = "m6i.2xlarge"
    cores: int = 8
    memory: int = 32
    pods: int = 110
    system: str = "linux"
    architecture: str = "amd64"
    version: str = "v1.31.6"
    image: str = "Debian GNU/Linux 12 (bookworm)"
    kernel: str = "6.1.0-32-cloud-amd64"
    age: float = 120 * DAY
    images: tuple[str, ...] = ()
    lost_since: float = 0
    cordoned: bool = False
    extended: Json = field(default_factory=dict)
    provider: str = ""


def node(machine: Machine) -> Json:
    """The Node object of a machine."""
    made: Json = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "annotations": {
                "node.alpha.kubernetes.io/ttl": "0",
                "volumes.kubernetes.io/controller-managed-attach-detach": "true",
            },
            "creationTimestamp": ago(machine.age),
            "labels": labels(machine),
            "name": machine.name,
            "resourceVersion": version_of("node", machine.name),
            "uid": uid("node", machine.name),
        },
        "spec": spec(machine),
        "status": status(machine),
    }
    return made


def labels(machine: Machine) -> Json:
    """The labels that kubelet and cloud put on every node, and the pool's own."""
    return {
        "beta.kubernetes.io/arch": machine.architecture,
        "beta.kubernetes.io/os": machine.system,
        "kubernetes.io/arch": machine.architecture,
        "kubernetes.io/hostname": machine.name,
        "kubernetes.io/os": machine.system,
        "node.kubernetes.io/instance-type": machine.kind,
        "topology.kubernetes.io/region": machine.zone.rstrip("abc"),
        "topology.kubernetes.io/zone": machine.zone,
        **machine.labels,
    }


def spec(machine: Machine) -> Json:
    """Pod network, provider's id and taints, those of the node lifecycle controller last."""
    third = int(digest("cidr", machine.name)[:4], 16)
    network = f"10.{64 + third // 256 % 128}.{third % 256}.0/24"
    taints = [taint(text) for text in machine.taints]
    if machine.cordoned:
        taints.append(taint(f"{WELL_KNOWN}unschedulable:NoSchedule", machine.age / 90))
    if machine.lost_since:
        taints += [
            taint(f"{WELL_KNOWN}unreachable:{effect}", machine.lost_since - wait)
            for effect, wait in (("NoSchedule", 0), ("NoExecute", 5))
        ]
    found: Json = {"podCIDR": network, "podCIDRs": [network]}
    found["providerID"] = machine.provider or f"aws:///{machine.zone}/i-0{digest('instance', machine.name)[:16]}"
    if taints:
        found["taints"] = taints
    if machine.cordoned:
        found["unschedulable"] = True
    return found


def status(machine: Machine) -> Json:
    """Sizes, conditions, addresses, images and system."""
    return {
        "addresses": [
            {"address": machine.ip, "type": "InternalIP"},
            {"address": machine.name, "type": "Hostname"},
        ],
        "allocatable": sizes(machine, allocatable=True),
        "capacity": sizes(machine, allocatable=False),
        "conditions": conditions(machine),
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "images": [image(name) for name in machine.images],
        "nodeInfo": {
            "architecture": machine.architecture,
            "bootID": uid("boot", machine.name),
            "containerRuntimeVersion": "containerd://1.7.24",
            "kernelVersion": machine.kernel,
            "kubeProxyVersion": machine.version,
            "kubeletVersion": machine.version,
            "machineID": digest("machine", machine.name)[:32],
            "operatingSystem": machine.system,
            "osImage": machine.image,
            "systemUUID": uid("system", machine.name),
        },
    }


def sizes(machine: Machine, *, allocatable: bool) -> Json:
    """Capacity, or what is left of it for pods."""
    kibibytes = machine.memory * 1024 * 1024 * 96 // 100
    return {
        "cpu": f"{machine.cores * 1000 - 80}m" if allocatable else str(machine.cores),
        "ephemeral-storage": "95491281146" if allocatable else "104845292Ki",
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "memory": f"{kibibytes - 1_026_072 if allocatable else kibibytes}Ki",
        "pods": str(machine.pods),
        **machine.extended,
    }


def conditions(machine: Machine) -> list[Json]:
    """The kubelet's four conditions; all Unknown since the node was lost."""
    if not machine.lost_since:
        return [condition(*texts, beat=117, since=machine.age - 40) for texts in HEALTHY]
    since, text = machine.lost_since, "Kubelet stopped posting node status."
    return [condition(kind, "Unknown", "NodeStatusUnknown", text, beat=since + 42, since=since) for kind, *_ in HEALTHY]


def condition(kind: str, value: str, reason: str, message: str, *, beat: float, since: float) -> Json:
    """A node condition."""
    return {
        "lastHeartbeatTime": ago(beat),
        "lastTransitionTime": ago(since),
        "message": message,
        "reason": reason,
        "status": value,
        "type": kind,
    }


def image(name: str) -> Json:
    """An image on a node, under its digest and its tag."""
    repository = name.rpartition(":")[0]
    size = 4_000_000 + int(digest("size", name)[:8], 16) % 190_000_000
    return {"names": [f"{repository}@sha256:{digest('image', name)}", name], "sizeBytes": size}
