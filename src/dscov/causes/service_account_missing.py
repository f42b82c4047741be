"""The service account that the template names does not exist (or, through 1.23, has no token yet).

Every pod is refused, so DESIRED counts nodes that never get one; before 1.25 it could even read 0.
"""

from collections.abc import Iterator

from dscov.kube.denials import Refuser, missing_account
from dscov.kube.objects import name_of
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.creation import NO_POD, in_namespace, refused_by, service_account_of, silent
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The controller's newest refusal, if it is about the account; else an account that is not among those seen."""
    account = service_account_of(daemonset)
    named = daemonset.pod_spec.get("serviceAccountName") == account
    field = "spec.template.spec.serviceAccountName"
    shown = (Evidence(f"DaemonSet/{daemonset.key}", field, account),) if named else ()
    there = {name_of(one) for one in in_namespace(world, "ServiceAccount", daemonset.namespace)}
    for refused in refused_by(world, daemonset, node, Refuser.ACCOUNT):
        text, absent = refused.denial.text, missing_account(refused.denial.text) or account
        old = absent in there or absent != account
        yield Hit((("account", absent), ("text", text)), (refused.told, *shown), transient=old)
    if named and there and account not in there and silent(world, daemonset, node):
        text = f"service account {account} is not among those of namespace {daemonset.namespace}"
        yield Hit((("account", account), ("text", text)), shown, confidence="inferred")


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Make the account."""
    account, namespace = dict(finding.facts)["account"], daemonset.namespace
    return Remedy(
        "policy",
        f"create ServiceAccount {namespace}/{account}, with the rights the daemon needs",
        why="the account is an object of its own; nothing about placement is wrong",
        actions=(f"kubectl -n {namespace} create serviceaccount {account}",),
    )


CAUSE = Cause(
    code="DSC206",
    slug="service-account-missing",
    title="the service account does not exist",
    says="no pod is made: {text}",
    find=find,
    cure=cure,
    looks_at=NO_POD,
)
