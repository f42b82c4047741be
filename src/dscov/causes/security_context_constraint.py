"""OpenShift: no security context constraint that the pods' service account may use admits them.

A Deployment of the same chart often runs, since only the daemon needs the host. The right is one of the service
account; it should be an account of its own, not the namespace's `default`.
"""

from collections.abc import Iterator

from dscov.kube.denials import Refuser
from dscov.kube.objects import listed, part
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node, Object
from dscov.model.creation import NO_POD, refused_by, service_account_of
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The controller's newest refusal, if no constraint admits the pods."""
    account = service_account_of(daemonset)
    named = daemonset.pod_spec.get("serviceAccountName")
    for refused in refused_by(world, daemonset, node, Refuser.CONSTRAINT):
        field = "spec.template.spec.serviceAccountName"
        shown = (Evidence(f"DaemonSet/{daemonset.key}", field, account),) if named == account else ()
        yield Hit((("account", account), ("text", refused.denial.text)), (refused.told, *shown))


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The right to use a constraint, for the account."""
    account, namespace = dict(finding.facts)["account"], daemonset.namespace
    grant = f"oc adm policy add-scc-to-user {_narrowest(daemonset.pod_spec)} -z {account} -n {namespace}"
    own = f"oc -n {namespace} create serviceaccount {daemonset.name}  # and name it in the template: not `default`"
    return Remedy(
        "policy",
        f"allow service account {account} a security context constraint that fits the template",
        why="it is a right of the service account, not a matter of placement",
        actions=(own, grant.replace(" -z default ", f" -z {daemonset.name} ")) if account == "default" else (grant,),
    )


def _narrowest(spec: Object) -> str:
    """The narrowest of OpenShift's own constraints with what the template needs of the host."""
    containers = [*listed(spec, "containers"), *listed(spec, "initContainers")]
    if any(part(one, "securityContext").get("privileged") is True for one in containers):
        return "privileged"
    paths = any(part(volume, "hostPath") for volume in listed(spec, "volumes"))
    network = spec.get("hostNetwork") is True or any(p.get("hostPort") for c in containers for p in listed(c, "ports"))
    if spec.get("hostPID") is True or spec.get("hostIPC") is True or (paths and network):
        return "privileged" if paths else "hostaccess"
    return "hostmount-anyuid" if paths else "hostnetwork-v2" if network else "nonroot-v2"


CAUSE = Cause(
    code="DSC204",
    slug="security-context-constraint",
    title="no security context constraint admits the pods",
    says="no pod is made: service account {account} may use no constraint that fits: {text}",
    find=find,
    cure=cure,
    looks_at=NO_POD,
)
