"""What the tests of the causes of eligibility ask of a DaemonSet and nodes: no pods, for the controller makes none."""

from __future__ import annotations

from typing import Any

from engine.build import daemonset, judged, world

from dscov.causes import cause_of
from dscov.model.findings import Finding
from dscov.simulation import effect_of

Json = dict[str, Any]

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TERMS = f"/spec/template/spec/affinity/nodeAffinity/{REQUIRED}/nodeSelectorTerms"
LIST = "/spec/template/spec/tolerations"


def tolerating(*tolerations: str | Json, **spec: Any) -> Json:
    """A DaemonSet with tolerations given whole, or as `key[=value][:effect]`, without a value Exists."""
    return daemonset(
        spec={"tolerations": [one if isinstance(one, dict) else _toleration(one) for one in tolerations], **spec}
    )


def _toleration(text: str) -> Json:
    left, _, effect = text.partition(":")
    key, equals, value = left.partition("=")
    made: Json = {"operator": "Equal", "value": value} if equals else {"operator": "Exists"}
    return made | ({"key": key} if key else {}) | ({"effect": effect} if effect else {})


def selecting(*terms: list[Json] | Json, **spec: Any) -> Json:
    """A DaemonSet with a required node affinity; a term is one matchExpressions entry or a list of them."""
    listed = [{"matchExpressions": term if isinstance(term, list) else [term]} if term else {} for term in terms]
    return daemonset(spec={"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": listed}}}, **spec})


def asks(key: str, operator: str = "In", *values: str) -> Json:
    """One matchExpressions entry."""
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def spoken(slug: str, *objects: Json) -> list[Finding]:
    """The findings of a cause that do not count as meant; their evidence is checked."""
    return [f for one in judged(*objects).coverage for f in one.findings if f.cause == slug and f.severity != "info"]


def sentences(slug: str, *objects: Json) -> list[str]:
    """The same as sentences."""
    return [cause_of(slug).says.format_map(dict(finding.facts)) for finding in spoken(slug, *objects)]


def gaps(*objects: Json) -> set[str]:
    """The nodes with a gap, of the first DaemonSet."""
    return {
        pair.node for pair in judged(*objects).coverage[0].pairs if pair.verdict.gap and not pair.verdict.should_run
    }


def cured(slug: str, *objects: Json) -> tuple[list[Json], set[str]]:
    """The patch of the one finding of a cause, and the nodes it lets in; it must let in all that the finding names."""
    (finding,) = spoken(slug, *objects)
    assert finding.remedy is not None
    assert finding.remedy.kind == "patch"
    seen = world(*objects)
    effect = effect_of(seen, seen.snapshot.daemonsets[0], finding.remedy.patch)
    assert effect == finding.remedy.effect
    assert set(finding.nodes) <= set(effect.gains)
    assert effect.loses == ()
    return [dict(operation) for operation in finding.remedy.patch], set(effect.gains)


def all_cured(*objects: Json) -> set[str]:
    """The nodes that the patches of all findings let in, applied one after another."""
    seen = world(*objects)
    (one,) = judged(*objects).coverage
    patch = [op for f in one.findings if f.remedy and f.remedy.kind == "patch" for op in f.remedy.patch]
    effect = effect_of(seen, one.daemonset, patch)
    assert effect.loses == ()
    return set(effect.gains)


def advised(slug: str, *objects: Json) -> tuple[str, str]:
    """(kind, summary) of the remedy of the one finding."""
    (finding,) = spoken(slug, *objects)
    assert finding.remedy is not None
    return finding.remedy.kind, finding.remedy.summary
