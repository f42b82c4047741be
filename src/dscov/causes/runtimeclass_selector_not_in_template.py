"""The RuntimeClass of the pods selects nodes; the template does not repeat it, so the controller wants pods everywhere.

`RuntimeClass.scheduling.nodeSelector` is merged into each pod at admission. The controller looks at the template only:
it makes a pod for every node, and those without the runtime wait for ever. No daemon is meant there.
"""

from collections.abc import Iterator

from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.scheduling import added_selector, unmet, waiting
from dscov.model.selector_patch import repeat_in_template, runtime_class_of, runtime_selector
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Entries of the RuntimeClass that the template has not and the node does not meet."""
    waits = waiting(world, daemonset, node)
    name = runtime_class_of(waits.obj) if waits else ""
    if not waits or not name:
        return
    added, known = added_selector(daemonset, waits.obj), runtime_selector(world, name)
    chosen = added if known is None else dict(added.items() & known.items())
    failing = unmet(node, chosen)
    if not failing:
        return
    own = (Evidence(f"Pod/{waits.pod.key}", f"spec.nodeSelector.{key}", value) for key, value in failing.items())
    shown = (
        Evidence(f"RuntimeClass/{name}", f"scheduling.nodeSelector.{key}", value)
        for key, value in failing.items()
        if known is not None
    )
    text = ",".join(f"{key}={value}" for key, value in sorted(chosen.items()))
    confidence = "observed" if known is not None else "inferred"
    facts = (("runtime", name), ("selector", text))
    yield Hit(facts, (*shown, *own, *waits.told), wants_none=True, confidence=confidence)


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The same selector in the template."""
    return repeat_in_template(
        world,
        daemonset,
        finding,
        action=f"or, to run everywhere, install runtime {dict(finding.facts)['runtime']} on the other nodes",
    )


CAUSE = Cause(
    code="DSC307",
    slug="runtimeclass-selector-not-in-template",
    title="the RuntimeClass selects nodes, the template does not",
    says="RuntimeClass {runtime} adds the node selector {selector}; the template lacks it, so the pod waits for ever",
    find=find,
    cure=cure,
    looks_at=frozenset({"pending"}),
)
