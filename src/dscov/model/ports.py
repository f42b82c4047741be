"""The ports of its node that a DaemonSet's template asks for."""

from __future__ import annotations

from dscov.kube.objects import listed
from dscov.model.cluster import DaemonSet


def host_ports(daemonset: DaemonSet) -> tuple[str, ...]:
    """Host ports as `9100/TCP`; with hostNetwork every container port is one."""
    spec = daemonset.pod_spec
    found: dict[str, None] = {}
    for container in (*listed(spec, "containers"), *listed(spec, "initContainers")):
        for port in listed(container, "ports"):
            held = port.get("hostPort") or (port.get("containerPort") if spec.get("hostNetwork") else None)
            if held:
                found[f"{held}/{port.get('protocol') or 'TCP'}"] = None
    return tuple(found)
