"""Host ports: which a pod wants, and which of them another pod keeps from it.

Rules: pkg/scheduler/framework/plugins/nodeports/node_ports.go and framework HostPortInfo, Kubernetes v1.37.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from dscov.kube.objects import listed, part, text
from dscov.kube.versions import NEWEST, KubernetesVersion

_ANY = frozenset({"", "0.0.0.0"})  # noqa: S104 - compared with, not bound to


class HostPort(msgspec.Struct, frozen=True):
    """A port of the node that a container wants; `field` is where the pod says so."""

    port: int
    protocol: str = "TCP"
    address: str = ""
    field: str = msgspec.field(default="")

    def __str__(self) -> str:
        """`9100/TCP`, with the address where it is not every one."""
        where = "" if self.address in _ANY else f"{self.address}:"
        return f"{where}{self.port}/{self.protocol}"

    def collides(self, other: HostPort) -> bool:
        """Whether two pods of one node cannot have both."""
        same = self.port == other.port and self.protocol == other.protocol
        return same and (self.address == other.address or bool({self.address, other.address} & _ANY))


def host_ports(pod: Mapping[str, Any], version: KubernetesVersion = NEWEST) -> Iterator[HostPort]:
    """The host ports of a pod (plain API object): of its containers and, since 1.34, of its sidecars."""
    host_network = part(pod, "spec").get("hostNetwork") is True
    for kind in ("containers", "initContainers"):
        for i, container in enumerate(listed(pod, "spec", kind)):
            if kind == "initContainers" and not _counts(container, version):
                continue
            for j, port in enumerate(listed(container, "ports")):
                field = "hostPort" if port.get("hostPort") or not host_network else "containerPort"
                number = port.get(field)
                if isinstance(number, int) and number:
                    where = f"spec.{kind}[{i}].ports[{j}].{field}"
                    yield HostPort(number, text(port, "protocol") or "TCP", text(port, "hostIP"), where)


def _counts(init_container: Mapping[str, Any], version: KubernetesVersion) -> bool:
    return init_container.get("restartPolicy") == "Always" and version >= KubernetesVersion(1, 34, 0)
