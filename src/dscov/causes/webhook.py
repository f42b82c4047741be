"""An admission webhook refuses the pods, or cannot be asked.

Policy engines (Kyverno, Gatekeeper) refuse by webhook. One that is down and has failurePolicy Fail stops every new pod
that it selects, also the daemons that would bring its own node back.
"""

from collections.abc import Iterator

from dscov.kube.denials import Refuser, webhook_is_down, webhook_of
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.creation import NO_POD, refused_by
from dscov.model.findings import Finding, Hit, Remedy
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """The controller's newest refusal, if a webhook refused or failed."""
    for refused in refused_by(world, daemonset, node, Refuser.WEBHOOK):
        text = refused.denial.text
        does = "cannot be asked" if webhook_is_down(text) else "refuses"
        yield Hit((("webhook", webhook_of(text) or "of admission"), ("does", does), ("text", text)), (refused.told,))


def cure(_: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """Mend the webhook, or change its policy."""
    facts = dict(finding.facts)
    listing = "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml"
    show = f"{listing} | grep -B30 -A20 {facts['webhook']}"
    if facts["does"] == "refuses":
        return Remedy(
            "policy",
            f"meet the policy behind webhook {facts['webhook']}, or except {daemonset.key} from it",
            why="the policy looks at each pod; where a pod may be placed is no part of it",
            actions=(show,),
        )
    return Remedy(
        "policy",
        f"bring the service behind webhook {facts['webhook']} back, or except namespace {daemonset.namespace} from it",
        why="with failurePolicy Fail no pod that it selects can be made while it does not answer",
        actions=(show,),
    )


CAUSE = Cause(
    code="DSC205",
    slug="webhook",
    title="an admission webhook keeps the pods from being made",
    says="no pod is made: webhook {webhook} {does}: {text}",
    find=find,
    cure=cure,
    looks_at=NO_POD,
)
