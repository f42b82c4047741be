"""An operator's resource: the field of it that feeds the DaemonSet, where its schema shows one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dscov.kube.objects import Object, key_of, listed, name_of, part, text
from dscov.origin.asking import Resource, Seen
from dscov.origin.fields import Field, Spot, is_of_another, merge_patch, nested, rank, renewed, spots_in, together
from dscov.origin.nouns import Case, Origin
from dscov.origin.schema import Slot, schema_of, slots
from dscov.origin.sources import keeper
from dscov.origin.texts import command, document, dotted, head, listing, patching

#: Controllers of controllers are followed so far up.
_HIGHEST = 4


class _Resource(NamedTuple):
    """The topmost controlling resource that was read, and how it is served."""

    kind: str
    served: Resource
    obj: Object

    @property
    def in_words(self) -> str:
        """`the Kind ns/name`."""
        return f"the {self.kind} {key_of(self.obj) if self.served.namespaced else name_of(self.obj)}"


class _Choice(NamedTuple):
    """One field with its likeliest place, the value that is there, and the one to put."""

    field: Field
    slot: Slot
    present: Any
    value: Any


def operator(case: Case) -> Origin:
    """The resource that controls the DaemonSet."""
    found, problem = _topmost(case)
    if found is None:
        return Origin(
            "operator",
            f"the resource {case.owner.name}, whose controller made the DaemonSet",
            notes=(problem, "the operator's documentation says which field of it feeds the DaemonSet"),
            fate=case.owner.fate,
        )
    seen = case.asker.get(f"/openapi/v3/apis/{found.served.group}/{found.served.version}")
    schema = schema_of(seen.obj, found.served.group, found.served.version, found.kind)
    applied_by = keeper(case.asker, {"kind": found.kind, **found.obj})
    choices, notes = [], [problem] if problem else []
    if not schema:
        notes.append(f"its schema {seen.problem or 'is not published'}: only fields that are set were looked at")
    for field in case.fields:
        candidates = _candidates(seen.obj, schema, found.obj, field)
        choice, told = _chosen(field, candidates, found, case.daemonset.name)
        choices += choice
        notes += told
    if applied_by:
        notes.insert(0, f"{found.in_words} itself is kept by {applied_by}: put it there")
    return Origin(
        "operator",
        _place(found, choices),
        text=_manifest(found, choices),
        commands=_commands(found, choices, is_free=not applied_by),
        notes=tuple(notes),
        fate=case.owner.fate,
    )


# -- the resource -------------------------------------------------------------------------------------------------


def _topmost(case: Case) -> tuple[_Resource | None, str]:
    """The resource at the top of the chain of controllers, or the last that could be read and what stopped us."""
    found: _Resource | None = None
    obj = case.daemonset.obj
    for _ in range(_HIGHEST):
        reference = next(
            (one for one in listed(obj, "metadata", "ownerReferences") if one.get("controller") is True), None
        )
        if reference is None:
            return found, ""
        kind, name = text(reference, "kind"), text(reference, "name")
        served, problem = case.asker.resource(text(reference, "apiVersion"), kind)
        seen = case.asker.named(served, case.daemonset.namespace, name) if served else Seen({}, problem)
        if served is None or seen.problem:
            return found, f"the resource {kind}/{name} {seen.problem}"
        found, obj = _Resource(kind, served, seen.obj), seen.obj
    return found, "there are more controllers above it, which were not looked at"


# -- the field ----------------------------------------------------------------------------------------------------


def _candidates(openapi: Object, schema: Object, obj: Object, field: Field) -> list[Slot]:
    if schema:
        return list(slots(openapi, schema, obj, field))
    return [Slot(("spec", *spot.way)) for spot in spots_in(part(obj, "spec"), field)]


def _chosen(field: Field, candidates: Sequence[Slot], found: _Resource, name: str) -> tuple[list[_Choice], list[str]]:
    """The likeliest place, and what is to be said of it."""
    closed = sorted(
        (slot for slot in candidates if not slot.is_open), key=lambda slot: _order(slot, found, field, name)
    )
    usable = [slot for slot in closed if _spot(slot, found, field).exact or not is_of_another(slot.way, name)]
    is_open = [dotted(slot.way) for slot in candidates if slot.is_open]
    choosing = [f"{field.name} may go, part by part, into {listing(is_open)}"] if is_open else []
    if not usable:
        strange = listing([dotted(slot.way) for slot in closed])
        foreign = [f"{strange} is of the right shape, but by its name for another workload"] if closed else []
        nothing = [f"its schema shows no field for {field.name}: the operator sets it by itself"]
        return [], [*foreign, *choosing] or nothing
    first, *others = usable
    wanted = _inner(field, first)
    if wanted is None:
        return [], [f"{dotted(first.way)} takes {first.inner} alone, and more than that changes"]
    present = _present(found.obj, first)
    choice = _Choice(wanted, first, present, renewed(present, wanted))
    return [choice], [*_doubts(first, others, found, field), *choosing]


def _order(slot: Slot, found: _Resource, field: Field, name: str) -> tuple[int, ...]:
    return int(slot.old), *rank(_spot(slot, found, field), field, name)


def _spot(slot: Slot, found: _Resource, field: Field) -> Spot:
    present = _present(found.obj, slot)
    wanted = _inner(field, slot)
    return Spot(slot.way[1:], present, bool(present) and wanted is not None and present == wanted.old)


def _inner(field: Field, slot: Slot) -> Field | None:
    """The field as the slot takes it; None where the slot takes a part, and other parts change as well."""
    if not slot.inner:
        return field
    old, new = part(field.old), part(field.new)
    if {key: old[key] for key in old if key != slot.inner} != {key: new[key] for key in new if key != slot.inner}:
        return None
    return Field(slot.inner, old.get(slot.inner), new.get(slot.inner))


def _present(obj: Object, slot: Slot) -> Any:
    return part(obj, *slot.way[:-1]).get(slot.way[-1])


def _doubts(first: Slot, others: Sequence[Slot], found: _Resource, field: Field) -> list[str]:
    """What is not sure about the place that was chosen: a schema does not say what its fields feed."""
    spot = _spot(first, found, field)
    if spot.exact:
        return []
    where = dotted(first.way)
    if not others:
        return [f"{where} is the only field of this shape; that it feeds this DaemonSet was not seen"]
    ways = listing([dotted(slot.way) for slot in others])
    return [f"{where} is the likeliest by its name; it may be {ways} instead"]


# -- what to do ---------------------------------------------------------------------------------------------------


def _place(found: _Resource, choices: Sequence[_Choice]) -> str:
    if not choices:
        return f"{found.in_words}, whose controller made the DaemonSet"
    return f"{listing([dotted(one.slot.way) for one in choices])} of {found.in_words}"


def _manifest(found: _Resource, choices: Sequence[_Choice]) -> str:
    if not choices:
        return ""
    values = together([nested(one.slot.way, one.value) for one in choices])
    return document({**head(f"{found.served.group}/{found.served.version}", found.kind, found.obj), **values})


def _commands(found: _Resource, choices: Sequence[_Choice], *, is_free: bool) -> tuple[str, ...]:
    served = found.served
    if not choices:
        return command("kubectl", "explain", f"{served.plural}.spec", _api_version(served), "--recursive")
    if not is_free:
        return ()
    patch: Mapping[str, Any] = together([nested(one.slot.way, _merging(one)) for one in choices])
    return patching(served, text(found.obj, "metadata", "namespace"), name_of(found.obj), patch)


def _api_version(served: Resource) -> str:
    return f"--api-version={served.group}/{served.version}"


def _merging(choice: _Choice) -> Any:
    return merge_patch(choice.present, choice.value)
