"""Pod security of the namespace refuses the pods: they ask for the host (network, paths, ports, privileges).

The level is a label of the namespace (PodSecurity, since 1.23) or the cluster's default; through 1.24 it can be a
PodSecurityPolicy. The DaemonSet itself is accepted with a warning, only its pods are refused. Where no event is left,
the label and the template tell.
"""

from collections.abc import Iterator

from dscov.kube.denials import Refuser, security_level
from dscov.kube.objects import listed, part, text
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Object
from dscov.model.creation import NO_POD, namespace_of, refused_by, silent
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World

_LABEL = "pod-security.kubernetes.io/enforce"


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The newest refusal, if pod security refused; else a strict label over a template that needs the host."""
    level = text(namespace_of(world, daemonset), "metadata", "labels", _LABEL)
    label = Evidence(f"Namespace/{daemonset.namespace}", f"metadata.labels.{_LABEL}", level)
    for refused in refused_by(world, daemonset, node, Refuser.POD_SECURITY):
        words = refused.denial.text
        shown = (label,) if level else ()
        yield Hit((("level", security_level(words) or level or "a policy"), ("text", words)), (refused.told, *shown))
    needs = next(_host_needs(daemonset.pod_spec), None)
    if level in {"baseline", "restricted"} and needs and silent(world, daemonset, node):
        field, value = needs
        need = Evidence(f"DaemonSet/{daemonset.key}", f"spec.template.spec.{field}", value)
        words = f"namespace label {_LABEL}={level}; the template has {field}={value}"
        yield Hit((("level", level), ("text", words)), (label, need), confidence="inferred")


def _host_needs(spec: Object) -> Iterator[tuple[str, str]]:
    """Fields of a pod spec that even the level baseline forbids, with their values."""
    for name in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(name) is True:
            yield name, "true"
    for i, volume in enumerate(listed(spec, "volumes")):
        if part(volume, "hostPath"):
            yield f"volumes[{i}].hostPath.path", text(volume, "hostPath", "path")
    for kind in ("containers", "initContainers"):
        for i, container in enumerate(listed(spec, kind)):
            if part(container, "securityContext").get("privileged") is True:
                yield f"{kind}[{i}].securityContext.privileged", "true"


def cure(_: World, daemonset: DaemonSet, _finding: Finding) -> Remedy:
    """Another level for the namespace."""
    namespace = daemonset.namespace
    return Remedy(
        "policy",
        f"let namespace {namespace} run privileged pods, or move the DaemonSet to a namespace that may",
        why="daemons that need the host violate this level by design; nothing about placement is wrong",
        actions=(f"kubectl label namespace {namespace} --overwrite {_LABEL}=privileged",),
    )


CAUSE = Cause(
    code="DSC203",
    slug="pod-security",
    title="pod security of the namespace refuses the pods",
    says="no pod is made, level {level}: {text}",
    find=find,
    cure=cure,
    looks_at=NO_POD,
)
