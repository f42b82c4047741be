"""Admission adds a node selector to the pods that the template does not have; the controller wants pods everywhere.

The annotation `scheduler.alpha.kubernetes.io/node-selector` of the namespace (admission plugin PodNodeSelector), that
plugin's cluster default, or a mutating webhook. The controller decides on the template, before admission: it makes a
pod for every node, and those outside the selector wait for ever. No daemon is meant there. (OpenShift's controller
looks at the project's selector and makes no such pods.)
"""

from collections.abc import Iterator

from dscov.kube.objects import texts
from dscov.model.causes import Cause
from dscov.model.cluster import DaemonSet, Node
from dscov.model.creation import namespace_of
from dscov.model.findings import Evidence, Finding, Hit, Remedy
from dscov.model.openshift import PROJECT, UPSTREAM
from dscov.model.scheduling import added_selector, read_pairs, unmet, waiting
from dscov.model.selector_patch import repeat_in_template, runtime_class_of, runtime_selector
from dscov.model.world import World


def find(world: World, daemonset: DaemonSet, node: Node) -> Iterator[Hit]:
    """Entries that the pod has, the template has not and the node does not meet."""
    waits = waiting(world, daemonset, node)
    if not waits:
        return
    added = added_selector(daemonset, waits.obj)
    failing = unmet(node, added)
    if not failing or _is_the_runtimes(world, waits.obj, failing):
        return
    annotations = texts(namespace_of(world, daemonset), "metadata", "annotations")
    source = next((k for k in (UPSTREAM, PROJECT) if read_pairs(annotations.get(k, "")).items() & failing.items()), "")
    at = f"Namespace/{daemonset.namespace}"
    shown = (Evidence(at, f"metadata.annotations.{source}", annotations[source]),) if source else ()
    own = (Evidence(f"Pod/{waits.pod.key}", f"spec.nodeSelector.{key}", value) for key, value in failing.items())
    facts = (
        ("selector", ",".join(f"{key}={value}" for key, value in added.items())),
        (
            "by",
            f"annotation {source} of namespace {daemonset.namespace}" if source else "a cluster default or a webhook",
        ),
    )
    confidence = "observed" if source else "inferred"
    yield Hit(facts, (*shown, *own, *waits.told), wants_none=True, confidence=confidence)


def _is_the_runtimes(world: World, pod: object, failing: dict[str, str]) -> bool:
    """Whether the pod's RuntimeClass adds all that fails; one that was not seen is given the benefit of the doubt."""
    name = runtime_class_of(pod)
    known = runtime_selector(world, name) if name else {}
    return bool(name) and (known is None or failing.items() <= known.items())


def cure(world: World, daemonset: DaemonSet, finding: Finding) -> Remedy:
    """The same selector in the template."""
    return repeat_in_template(
        world,
        daemonset,
        finding,
        action="or, if the daemon is to run everywhere, empty the selector of the namespace: "
        f'kubectl annotate namespace {daemonset.namespace} --overwrite {UPSTREAM}=""',
    )


CAUSE = Cause(
    code="DSC306",
    slug="namespace-selector-not-in-template",
    title="admission adds a node selector that the template lacks",
    says="pods get the node selector {selector} from {by}; the template lacks it, so the pod here waits for ever",
    find=find,
    cure=cure,
    looks_at=frozenset({"pending"}),
)
