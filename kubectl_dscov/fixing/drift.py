"""Where files do not schedule as the live object does that a plan was made for: told, with what applying them would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kubectl_dscov.render.nodes import described

if TYPE_CHECKING:
    from dscov import Change, Drift, Option, Proposal
    from kubectl_dscov.fixing.proposals import Proposed

#: So many parts of a field are named, and so many nodes.
_PARTS, _NODES = 4, 10


def told(proposed: Proposed, proposal: Proposal, option: Option, *, change: Change, values: Mapping[str, Any]) -> str:
    """How the files will differ from the live object with the change in both; empty where they will not."""
    import dscov

    filed = change.after
    if filed is None:
        return ""
    found = dscov.drifts(dscov.patched(proposal.daemonset, option.patch).obj, filed)
    if not found:
        return ""
    where = values["kustomization"] or ", ".join(edit.path for edit in change.edits) or "the file"
    kind = "kustomization" if values["kustomization"] else "file"
    fields = " and in ".join(_field(one, kind) for one in found)
    promise = "what is promised holds for the object in the cluster"
    return f"{where} differs from the object in the cluster in {fields}: {promise}" + _moved(
        proposed, proposal, option, filed=filed, kind=kind
    )


def _field(one: Drift, kind: str) -> str:
    sides = ((one.only_cluster, "only in the cluster"), (one.only_file, f"only in the {kind}"))
    parts = "; ".join(f"{name}: {_short(some)}" for some, name in sides if some)
    return f"{one.field} ({parts})" if parts else one.field


def _short(parts: Sequence[str]) -> str:
    more = len(parts) - _PARTS
    return ", ".join(parts[:_PARTS]) + (f" and {more} more" if more > 0 else "")


def _moved(proposed: Proposed, proposal: Proposal, option: Option, *, filed: Mapping[str, Any], kind: str) -> str:
    """The nodes that are lost, or not gained, against the promise when the files are applied."""
    import dscov

    patch = dscov.as_filed(proposal.daemonset.obj, filed)
    try:
        effect = dscov.assess(proposed.snapshot, proposal.daemonset, dscov.Option("", patch), now=proposed.now).effect
    except ValueError:
        return ""
    labels = {node.name: node.labels for node in proposed.snapshot.nodes}
    lost = sorted(set(effect.loses) - set(option.effect.loses))
    missed = sorted(set(option.effect.gains) - set(effect.gains))
    parts = [f"loses {described(lost, labels, most=_NODES)}"] if lost else []
    parts += [f"does not gain {described(missed, labels, most=_NODES)}"] if missed else []
    return f"; applying the {kind} {' and '.join(parts)}" if parts else ""
