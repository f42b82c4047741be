"""DaemonSets of the size that real clusters run: agents, plugins and collectors with all their settings."""

from __future__ import annotations

from cluster.api import Object
from cluster.objects import daemonset

NAMESPACE = "platform"
EVERYWHERE: list[Object] = [{"operator": "Exists"}]
POOL = "dscov.test/pool"

# name -> what is special about its pods; the order decides which come first in a smaller world.
ROLES: tuple[tuple[str, Object], ...] = (
    ("network", {"hostNetwork": True, "tolerations": EVERYWHERE, "priorityClassName": "system-node-critical"}),
    ("proxy", {"hostNetwork": True, "tolerations": EVERYWHERE, "priorityClassName": "system-node-critical"}),
    ("storage", {"tolerations": EVERYWHERE}),
    ("metrics", {"tolerations": [{"effect": "NoSchedule", "operator": "Exists"}]}),
    ("logs", {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}),
    ("tracing", {}),
    ("security", {"tolerations": [{"key": "dedicated", "value": "infra", "effect": "NoSchedule"}]}),
    ("dns-cache", {"tolerations": EVERYWHERE}),
    ("problem-detector", {"tolerations": EVERYWHERE}),
    ("gpu-plugin", {"nodeSelector": {POOL: "gpu"}, "tolerations": [{"key": "dedicated", "operator": "Exists"}]}),
    ("image-cache", {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}),
    ("backup", {"tolerations": EVERYWHERE}),
    ("policy", {"tolerations": EVERYWHERE}),
    ("tuning", {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}),
    ("registry-mirror", {}),
    ("audit", {"nodeSelector": {POOL: "infra"}, "tolerations": EVERYWHERE}),
)


def big_daemonset(number: int) -> Object:
    """The DaemonSet with this number; from the seventeenth on the roles repeat."""
    round_, index = divmod(number, len(ROLES))
    role, special = ROLES[index]
    name = f"{role}-{round_}" if round_ else role
    pod: Object = {
        "terminationGracePeriodSeconds": 30,
        # On the host's network every port is the node's: no two containers may share one.
        "containers": [_container(name, 9000 + 2 * number), _container("config-reloader", 9001 + 2 * number)],
        "initContainers": [{"name": "prepare", "image": _image("prepare"), "command": ["/bin/prepare", "--once"]}],
        "volumes": [{"name": path, "hostPath": {"path": f"/var/lib/{name}/{path}"}} for path in _PATHS],
        **special,
    }
    spec: Object = {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}}}
    labels = {f"app.kubernetes.io/{key}": name for key in ("name", "instance", "component", "part-of")}
    return daemonset(name, NAMESPACE, pod=pod, spec=spec, labels=labels)


_PATHS = ("run", "data", "config", "sockets")


def _image(name: str) -> str:
    return f"registry.example/platform/{name}@sha256:{'0123456789abcdef' * 4}"


def _container(name: str, port: int) -> Object:
    own = [("NODE_NAME", "spec.nodeName"), ("POD_NAME", "metadata.name"), ("POD_IP", "status.podIP")]
    environment: list[Object] = [{"name": key, "valueFrom": {"fieldRef": {"fieldPath": path}}} for key, path in own]
    environment += [{"name": f"AGENT_SETTING_{number}", "value": f"value-of-setting-{number}"} for number in range(12)]
    probe = {"httpGet": {"path": "/healthz", "port": port}, "periodSeconds": 10, "failureThreshold": 3}
    return {
        "name": name,
        "image": _image(name),
        "args": [f"--{option}=$({key})" for option, key in (("node", "NODE_NAME"), ("pod", "POD_NAME"))],
        "env": environment,
        "ports": [{"name": "metrics", "containerPort": port}],
        "livenessProbe": probe,
        "readinessProbe": probe,
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": {"readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"], "add": ["NET_ADMIN"]}},
        "volumeMounts": [{"name": path, "mountPath": f"/agent/{path}"} for path in _PATHS],
    }
