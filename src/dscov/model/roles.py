"""What a daemon does for its node, and so what breaks where it is missing.

Told by what its template holds, the surest sign first. A host path or a registrar is as good as a declaration, yet all
of it is inferred; a name alone is the weakest sign. Rules, in this order:

- network: a volume on /opt/cni or /etc/cni (how CNI plugins get onto a node), else the name of a network plugin
- proxy: the name kube-proxy in an image or the DaemonSet's name
- storage: the node-driver-registrar among the containers, which names the driver by its registration path; else "csi"
- device: a volume on the kubelet's device-plugins folder, else "device-plugin" in a name
- dns, ingress, security, metrics, logs: words in names and images, and host ports 80 and 443 for ingress
- logs: also a volume on /var/log/pods or /var/log/containers
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from dscov.kube.objects import listed, strings, text
from dscov.model.cluster import DaemonSet
from dscov.model.findings import Evidence
from dscov.patterns import pattern

#: The roles, what hurts most first; `other` is a daemon of which nothing is known.
ROLES = ("network", "proxy", "storage", "device", "dns", "ingress", "security", "metrics", "logs", "other")

_CNI = ("/opt/cni", "/etc/cni")
_DEVICES = "/var/lib/kubelet/device-plugins"
_LOGS = ("/var/log/pods", "/var/log/containers")
_REGISTRATION = pattern(r"--kubelet-registration-path=\S*?/(?:plugins|csi-plugins)/([^/\s]+)/")

_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (role, pattern(rf"(?:^|[-_/.:])(?:{words})(?:$|[-_/.:@0-9])"))
    for role, words in (
        (
            "network",
            "cilium|calico-node|calico|canal|flannel|kube-flannel|weave|antrea-agent|kube-router|ovn|multus|aws-node|cni",
        ),
        ("proxy", "kube-proxy"),
        ("storage", "csi|csi-node|csi-driver|csi-plugin"),
        ("device", "device-plugin|gpu-device-plugin"),
        ("dns", "node-local-dns|nodelocaldns|node-cache|coredns|kube-dns|dns"),
        ("ingress", "ingress|ingress-nginx|edge-proxy|metallb|speaker|kube-vip|servicelb|svclb|haproxy|traefik|envoy"),
        ("security", "falco|tetragon|tracee|kubearmor|sysdig|security|guard|runtime-guard|defender|twistlock"),
        ("metrics", "node-exporter|exporter|metrics|telegraf|cadvisor|prometheus|datadog|otel|opentelemetry|collectd"),
        ("logs", "fluent-bit|fluentbit|fluentd|fluent|filebeat|promtail|vector|logging|logs|log|log-agent|logspout"),
    )
)


#: Names of what initialises nodes: the cloud controllers, and Azure's part of one that runs on each node.
_CLOUD = pattern(r"cloud-controller-manager|cloud-node-manager|(?:^|[-_.])(?:ccm|cpi)(?:$|[-_.])")


class Role(msgspec.Struct, frozen=True):
    """What a daemon does for its node: one of ROLES, and its `subject` (a driver, a resource), which may be empty."""

    kind: str
    subject: str = ""
    confidence: str = "inferred"
    evidence: tuple[Evidence, ...] = ()


def role_of(daemonset: DaemonSet) -> Role:
    """The likeliest role."""
    return next(_signs(daemonset), Role("other", confidence="unknown"))


def is_cloud_controller(daemonset: DaemonSet) -> bool:
    """Whether its name, or that of an image, is one of those that cloud controllers have."""
    return any(_CLOUD.search(name) for name, _ in _named(daemonset))


def _signs(daemonset: DaemonSet) -> Iterator[Role]:
    paths = dict(_paths(daemonset))
    named = list(_named(daemonset))
    by_word = next(_by_word(named), None)
    registrar = next(_registrar(daemonset), None)
    cni = next((claim for path, claim in paths.items() if _within(path, _CNI)), None)
    if cni and not registrar:
        yield Role("network", evidence=(cni,))
    if by_word and by_word.kind in {"network", "proxy"} and not registrar:
        yield by_word
    if registrar:
        yield registrar
    device = next((claim for path, claim in paths.items() if _within(path, (_DEVICES,))), None)
    if device:
        yield Role("device", _resource(named), evidence=(device,))
    if by_word:
        yield by_word if by_word.kind != "device" else msgspec.structs.replace(by_word, subject=_resource(named))
    yield from _ports(daemonset)
    logs = next((claim for path, claim in paths.items() if _within(path, _LOGS)), None)
    if logs:
        yield Role("logs", evidence=(logs,))


def _paths(daemonset: DaemonSet) -> Iterator[tuple[str, Evidence]]:
    """The host paths of the template's volumes, each with its claim."""
    for place, volume in enumerate(listed(daemonset.pod_spec, "volumes")):
        path = text(volume, "hostPath", "path")
        if path:
            field = f"spec.template.spec.volumes[{place}].hostPath.path"
            yield path, Evidence(f"DaemonSet/{daemonset.key}", field, path)


def _within(path: str, folders: tuple[str, ...]) -> bool:
    return any(path.rstrip("/") == folder or path.startswith(f"{folder}/") for folder in folders)


def _named(daemonset: DaemonSet) -> Iterator[tuple[str, Evidence]]:
    """The names that tell what it is: its own, then its images without registry and tag."""
    obj = f"DaemonSet/{daemonset.key}"
    yield daemonset.name, Evidence(obj, "metadata.name", daemonset.name)
    for place, container in enumerate(listed(daemonset.pod_spec, "containers")):
        image = text(container, "image")
        if image:
            name = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
            yield name, Evidence(obj, f"spec.template.spec.containers[{place}].image", image)


def _by_word(named: list[tuple[str, Evidence]]) -> Iterator[Role]:
    for name, claim in named:
        for role, words in _WORDS:
            if words.search(name):
                yield Role(role, evidence=(claim,))


def _registrar(daemonset: DaemonSet) -> Iterator[Role]:
    for place, container in enumerate(listed(daemonset.pod_spec, "containers")):
        image, name = text(container, "image"), text(container, "name")
        if "node-driver-registrar" not in image and "driver-registrar" not in name:
            continue
        words = " ".join((*strings(container, "args"), *strings(container, "command")))
        driver = _REGISTRATION.search(words)
        field = f"spec.template.spec.containers[{place}].name"
        claim = Evidence(f"DaemonSet/{daemonset.key}", field, name)
        yield Role("storage", driver[1] if driver else "", evidence=(claim,))


def _resource(named: list[tuple[str, Evidence]]) -> str:
    """The extended resource that a device plugin of such a name offers; empty where it is not known."""
    names = " ".join(name for name, _ in named)
    return next((resource for word, resource in _RESOURCES if word in names), "")


_RESOURCES = (
    ("nvidia", "nvidia.com/gpu"),
    ("amd", "amd.com/gpu"),
    ("habana", "habana.ai/gaudi"),
    ("neuron", "aws.amazon.com/neuron"),
    ("tpu", "google.com/tpu"),
)


def _ports(daemonset: DaemonSet) -> Iterator[Role]:
    for place, container in enumerate(listed(daemonset.pod_spec, "containers")):
        for number, port in enumerate(listed(container, "ports")):
            if port.get("hostPort") in (80, 443):
                field = f"spec.template.spec.containers[{place}].ports[{number}].hostPort"
                claim = Evidence(f"DaemonSet/{daemonset.key}", field, str(port["hostPort"]))
                yield Role("ingress", evidence=(claim,))
