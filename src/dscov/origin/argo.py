"""Argo CD: which application keeps the object, what it is told about drift, and the patch for its source.

Fields: argo-cd docs/operator-manual/application.yaml and docs/user-guide (resource_tracking, auto_sync).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dscov.kube.objects import Object, key_of, listed, part, strings, text
from dscov.origin.argo_source import Piece, piece_of, sources_of
from dscov.origin.asking import MOST, Asker, Resource, Seen, is_name
from dscov.origin.nouns import Case, Origin
from dscov.origin.sources import keeper
from dscov.origin.texts import command, listing

_APPLICATIONS = Resource("argoproj.io", "v1alpha1", "applications")
_TRACKING, _INSTANCE = "argocd.argoproj.io/tracking-id", "argocd.argoproj.io/instance"
_HOME = "argocd"


class _Applications(NamedTuple):
    """The applications that were found, or why none was."""

    found: tuple[Object, ...] = ()
    problem: str = ""


def argo(case: Case) -> Origin:
    """The application, by the id or label that Argo CD tracks objects with."""
    name = _name_in(case)
    looked = _applications(case.asker, name)
    mine = [one for one in looked.found if _lists(one, case)] or list(looked.found if name else ())
    if not mine:
        return _unseen(case, name, looked)
    application, *others = mine
    origin = _of(case, application)
    if not others:
        return origin
    keys = listing([key_of(one) for one in others])
    note = f"other applications that it may be: {keys}"
    return Origin(origin.kind, origin.place, origin.text, origin.commands, (note, *origin.notes), origin.fate)


def _name_in(case: Case) -> str:
    """`app`, or `namespace_app` where applications live in any namespace; empty where no mark tells."""
    tracked = case.daemonset.annotations.get(_TRACKING, "")
    mine = tracked.endswith(f"/DaemonSet:{case.daemonset.key}")
    return tracked.partition(":")[0] if mine else case.daemonset.labels.get(_INSTANCE, "")


def _applications(asker: Asker, name: str) -> _Applications:
    """The applications of that name in all namespaces, else in argocd; any where there is no name."""
    namespace, _, app = name.rpartition("_")
    if namespace or (name and not is_name(name)):
        seen = asker.named(_APPLICATIONS, namespace, app)
        return _Applications((seen.obj,)) if not seen.problem else _Applications(problem=_absent(seen))
    query = {"fieldSelector": f"metadata.name={name}"} if name else {"limit": str(MOST)}
    seen = asker.get("/apis/argoproj.io/v1alpha1/applications", query)
    if not seen.problem:
        found = tuple(listed(seen.obj, "items"))[:MOST]
        return _Applications(found, "" if found else "is not in this cluster; Argo CD may run in another one")
    if seen.absent or not name:
        return _Applications(problem=_absent(seen))
    seen = asker.named(_APPLICATIONS, _HOME, name)
    return _Applications((seen.obj,)) if not seen.problem else _Applications(problem=_absent(seen))


def _absent(seen: Seen) -> str:
    return f"{seen.problem}; Argo CD may run in another one" if seen.absent else seen.problem


def _lists(application: Object, case: Case) -> bool:
    """Whether the application's own status counts this DaemonSet among its objects."""
    mine = ("apps", "DaemonSet", case.daemonset.namespace, case.daemonset.name)
    return any(
        tuple(text(one, key) for key in ("group", "kind", "namespace", "name")) == mine
        for one in listed(application, "status", "resources")
    )


def _unseen(case: Case, name: str, looked: _Applications) -> Origin:
    named = f"the Argo CD application {name}" if name else "an Argo CD application, which no mark names"
    problem = looked.problem or "none of the applications lists this object"
    return Origin(
        "argocd",
        f"the repository of {named}",
        text=case.manifest(),
        commands=command("kubectl", "dscov", "fix", *case.named, "-f", "FILE"),
        notes=(f"the application {problem}", "for a chart use --values and --chart, for a kustomization -k"),
        fate=case.owner.fate,
    )


def _of(case: Case, application: Object) -> Origin:
    pieces = [piece_of(case, application, source) for source in sources_of(application)]
    pieces.sort(key=lambda piece: -piece.likeness)
    named = f"the Argo CD application {key_of(application)}"
    notes = list(_notes(case, application))
    if not pieces:
        notes.insert(0, "no source of the application makes manifests, as far as was read")
        return Origin("argocd", named, notes=tuple(notes), fate=_fate(application))
    first, *others = pieces
    if others:
        notes.insert(0, _several(first, others))
    return Origin(
        "argocd",
        f"{first.place} of {named}",
        text=first.text,
        commands=first.commands,
        notes=(*first.notes, *notes),
        fate=_fate(application),
    )


def _several(first: Piece, others: Sequence[Piece]) -> str:
    sure = (
        "its values are those of the DaemonSet" if first.likeness > 1 else "which one makes the DaemonSet was not seen"
    )
    return (
        f"the application has {len(others) + 1} sources ({sure}); the others: {listing([one.place for one in others])}"
    )


def _fate(application: Object) -> str:
    """What Argo CD does about a live edit; `enabled: false` switches automated off without taking it out."""
    automated = part(application, "spec", "syncPolicy").get("automated")
    if not isinstance(automated, dict) or automated.get("enabled") is False:
        return "shown as OutOfSync, and reverted when somebody syncs the application (it does not sync by itself)"
    if automated.get("selfHeal") is True:
        return "reverted within seconds (self-heal is on)"
    return "shown as OutOfSync, and reverted at the next commit or sync (self-heal is off)"


def _notes(case: Case, application: Object) -> Iterator[str]:
    for owner in listed(application, "metadata", "ownerReferences"):
        if text(owner, "kind") == "ApplicationSet":
            yield f"the application is made by the ApplicationSet {text(owner, 'name')}: what is in spec belongs there"
            break
    else:
        if kept := keeper(case.asker, {"kind": "Application", **application}):
            yield f"the application itself is kept by {kept}"
    if part(application, "spec", "sourceHydrator"):
        yield "the application hydrates its source: change the dry source, not the hydrated branch"
    names = {field.name for field in case.fields}
    for ignored in listed(application, "spec", "ignoreDifferences"):
        ways = (*strings(ignored, "jsonPointers"), *strings(ignored, "jqPathExpressions"))
        if text(ignored, "kind") in {"DaemonSet", "*"} and any(name in way for way in ways for name in names):
            respected = "RespectIgnoreDifferences=true" in strings(application, "spec", "syncPolicy", "syncOptions")
            yield "ignoreDifferences leaves the field out of the comparison" + (
                ", and a sync keeps it as it is: a live edit stays" if respected else ", yet a sync still writes it"
            )
