"""The way in: the owner by its marks, then what that owner says of itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from dscov.model.cluster import DaemonSet
from dscov.model.owners import Owner, owners_of
from dscov.origin.argo import argo
from dscov.origin.asking import Asker
from dscov.origin.fields import changed
from dscov.origin.flux import flux
from dscov.origin.nouns import Case, Operation, Origin
from dscov.origin.operator import operator
from dscov.origin.platforms import addon, elsewhere, kept_live
from dscov.origin.release import helm_release
from dscov.simulation import patched
from dscov.sources.access.transport import Transport


def origin_of(transport: Transport, daemonset: DaemonSet, patch: Sequence[Operation]) -> Origin:
    """Where `patch` (RFC 6902 on the live object) lasts, in the terms of the object's strongest owner.

    Raises BadAccess alone: what cannot be read, or is not there, is said in the notes.
    """
    owners = list(owners_of(daemonset)) or [Owner()]
    strongest, *others = owners
    notes = tuple(_beside(strongest, others))
    try:
        fields = changed(daemonset.obj, patched(daemonset, patch).obj)
        notes += () if fields else ("the patch changes no field of the DaemonSet's spec",)
    except ValueError as problem:
        fields, notes = (), (*notes, f"the patch does not apply to the object as it was read: {problem}")
    origin = _asked(Case(Asker(transport), daemonset, patch, fields, strongest))
    return msgspec.structs.replace(origin, notes=(*origin.notes, *notes))


def _asked(case: Case) -> Origin:
    if case.owner.source == "the object":
        return kept_live(case)
    by_kind: dict[str, Callable[[Case], Origin]] = {
        "flux": flux,
        "argocd": argo,
        "helm": helm_release,
        "addon": addon,
    }
    if case.owner.kind == "operator" and case.owner.evidence.startswith("metadata.ownerReferences"):
        return operator(case)
    return by_kind.get(case.owner.kind, elsewhere)(case)


def _beside(strongest: Owner, others: Sequence[Owner]) -> list[str]:
    """Further owners that would write the object as well; those that tell of the same one are not named again."""
    told = {strongest.kind, "none"} | ({"helm"} if strongest.kind in {"flux", "argocd"} else set())
    found = {owner.kind: owner for owner in reversed(others) if owner.kind not in told}
    return [f"marked as owned by {owner.kind} {owner.name} too ({owner.evidence})" for owner in found.values()]
