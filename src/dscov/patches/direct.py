"""Kustomizations that need no build: manifests of their own folder, and nothing that could change their scheduling."""

from __future__ import annotations

from collections.abc import Iterator

from dscov.errors import NotFound, Refused
from dscov.model.edits import Plan, TextEdit
from dscov.patches.change import Change, on_object
from dscov.patches.fields import in_daemonset
from dscov.patches.home import Home
from dscov.patches.manifest import Place, daemonsets, edit_text
from dscov.patches.notes import notes_of
from dscov.patches.search import Several, load, parse
from dscov.patches.strategy import check_strategy
from dscov.yamltext.meaning import resolved

#: Fields of a kustomization that leave the scheduling of a DaemonSet alone.
_HARMLESS = frozenset(
    {
        "apiVersion",
        "kind",
        "metadata",
        "resources",
        "namespace",
        "namePrefix",
        "nameSuffix",
        "labels",
        "commonLabels",
        "commonAnnotations",
        "images",
        "configMapGenerator",
        "secretGenerator",
        "generatorOptions",
        "buildMetadata",
        "sortOptions",
    }
)

_NAMED = "Name the manifest itself with -f"


def change(plan: Plan, home: Home, *, offline: bool = False) -> Change | None:
    """Carry out `plan` in the manifest itself; None where the kustomization does more, or holds no such DaemonSet.

    `offline` says why nothing is built, for the way out of a refusal.
    """
    data = resolved(home.document.roots[0])
    if not set(data) <= _HARMLESS:
        return None
    prefix, suffix = str(data.get("namePrefix") or ""), str(data.get("nameSuffix") or "")
    name = plan.target.name
    places = list(_places(home, data, offline=offline))
    found = [place for place in places if name in (None, f"{prefix}{place.name}{suffix}")]
    found = found or [place for place in places if name == place.name]
    _check_namespace(plan.target.namespace, home, data, found)
    if len(found) > 1:
        raise Several(plan.target, found)
    if not found:
        return None
    (place,) = found
    done, after = on_object(place.data, plan.edits)
    check_strategy(after, plan.edits)
    source = place.source
    edit = TextEdit(source.path, source.raw, source.encoded(edit_text(place, plan.edits)))
    notes = notes_of(plan.edits, place.data, in_daemonset)
    return Change(place.name, (edit,) if done else (), place.data, done, after, notes)


def _check_namespace(wanted: str | None, home: Home, data: dict[str, object], found: list[Place]) -> None:
    """NotFound where the kustomization, or else every manifest, names another namespace than the wanted one."""
    whole = data.get("namespace")
    there = {str(whole)} if whole else {place.namespace for place in found}
    if wanted and there and not there & {None, wanted}:
        named = " and ".join(sorted(map(str, there)))
        raise NotFound(f"{home.owner.path} puts it into namespace {named}, not {wanted}: leave -n out")


def _places(home: Home, data: dict[str, object], *, offline: bool) -> Iterator[Place]:
    """The DaemonSets of the files that are listed; Refused where one of them cannot be read."""
    listed = data.get("resources")
    for entry in listed if isinstance(listed, list) else []:
        path = home.root / str(entry)
        if path.is_dir() or not path.is_file() or not home.holds(path):
            raise _refusal(home, entry, offline=offline)
        source = load(path)
        if b"DaemonSet" in source.raw:
            yield from daemonsets(source, parse(source))


def _refusal(home: Home, entry: object, *, offline: bool) -> Refused:
    """That a resource has to be built, and what keeps it from that."""
    reason = f"{home.owner.path}: the resource {entry} is no file of this folder, so that it has to be built"
    if offline:
        return Refused(
            f"{reason}, and --offline forbids `kubectl kustomize`", remedy=f"{_NAMED}, or leave --offline out."
        )
    reason += ", and there is neither kubectl nor kustomize on the PATH"
    return Refused(reason, remedy=f"{_NAMED}, or run the command where kubectl is.")
