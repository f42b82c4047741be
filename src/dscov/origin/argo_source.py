"""One source of an Argo CD application: a chart, a kustomization or a folder, and the patch in its terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from dscov.errors import BadInput
from dscov.kube.objects import Object, listed, part, strings, text
from dscov.origin.fields import is_named_like, is_plain, nested
from dscov.origin.nouns import Case
from dscov.origin.texts import address, command, document, folder, head, listing
from dscov.origin.values import Fragment, fragment
from dscov.yamltext.document import read
from dscov.yamltext.meaning import resolved

#: Inline values longer than this are not searched.
_LONGEST = 1 << 19
_KINDS = {"Helm": "helm", "Kustomize": "kustomize", "Directory": "directory", "Plugin": "plugin"}


class ArgoSource(NamedTuple):
    """A source that makes manifests, `way` is its path in the application; `repositories` are the others' by `ref`."""

    way: tuple[str, ...]
    spec: Object
    kind: str
    repositories: dict[str, str]

    @property
    def in_words(self) -> str:
        """Its path or chart, and its repository."""
        url, revision = address(text(self.spec, "repoURL")), text(self.spec, "targetRevision")
        at = f" at {revision}" if revision else ""
        if chart := text(self.spec, "chart"):
            return f"the chart {chart} of {url}{at}"
        return f"the path {text(self.spec, 'path') or '.'} of {url}{at}"


class Piece(NamedTuple):
    """What to do in one source; `likeness` is 2 where its values are those of the DaemonSet, 1 where named alike."""

    place: str
    text: str
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    likeness: int = 0


def sources_of(application: Object) -> Iterator[ArgoSource]:
    """Every source that makes manifests; one with a `ref` and no path only lends its files to the others."""
    several = list(listed(application, "spec", "sources"))
    ways = (("spec", "source"), ("spec", "sourceHydrator", "drySource"))
    single = next((way for way in ways if part(application, *way)), None)
    types = strings(application, "status", "sourceTypes")
    refs = {text(one, "ref"): address(text(one, "repoURL")) for one in several if text(one, "ref")}
    if not several and single:
        spec = part(application, *single)
        yield ArgoSource(single, spec, _kind(spec, text(application, "status", "sourceType")), {})
    for index, one in enumerate(several):
        if text(one, "path") or text(one, "chart"):
            yield ArgoSource(
                ("spec", f"sources[{index}]"), one, _kind(one, types[index] if index < len(types) else ""), refs
            )


def _kind(source: Object, told: str) -> str:
    """helm, kustomize, directory, plugin, or empty where neither the spec nor Argo CD's own finding says."""
    if text(source, "chart"):
        return "helm"
    return next((kind for kind in _KINDS.values() if part(source, kind)), _KINDS.get(told, ""))


def piece_of(case: Case, application: Object, source: ArgoSource) -> Piece:
    """The patch in the terms of one source."""
    if source.kind == "helm":
        return _chart(case, application, source)
    path = folder(text(source.spec, "path"))
    if source.kind == "kustomize":
        has = any(listed(source.spec, "kustomize", "patches"))
        notes = ("kustomize.patches of the application comes last and may set the field",) if has else ()
        words = command("kubectl", "dscov", "fix", *case.named, "-k", path)
        return Piece(source.in_words, case.overlay(), words, notes)
    if source.kind == "plugin":
        note = "a plugin makes the manifests: where it takes the field from is not known here"
        return Piece(source.in_words, case.manifest(), (), (note,))
    notes = () if source.kind else ("what kind of source it is was not seen: for a kustomization use -k instead of -f",)
    words = command("kubectl", "dscov", "fix", *case.named, "-f", path)
    return Piece(source.in_words, case.manifest(), words, notes)


# -- charts -------------------------------------------------------------------------------------------------------


def _chart(case: Case, application: Object, source: ArgoSource) -> Piece:
    helm = part(source.spec, "helm")
    files = [_file_in_words(one, source) for one in strings(helm, "valueFiles")]
    key, tree = _inline(helm)
    found = fragment(tree, case.fields, case.daemonset.name, where=f"helm.{key}" if tree else "the application")
    inline = bool(tree) or (bool(text(source.spec, "chart")) and not files)
    where = f"the value files {listing(files)}" if files else "values.yaml"
    where = ".".join((*source.way, "helm", key)) if inline else where
    return Piece(
        f"{where} for {source.in_words}",
        _values_text(application, source, key if inline else "values", found),
        () if inline else _chart_commands(case, source, files),
        (*_chart_notes(case, helm, files, inline=inline), *found.notes),
        1 + found.exact if found.seen else 0,
    )


def _inline(helm: Object) -> tuple[str, Any]:
    """The values in the application itself; valuesObject wins over values."""
    if inline := part(helm, "valuesObject"):
        return "valuesObject", inline
    values = text(helm, "values")
    if not values or len(values) > _LONGEST:
        return "valuesObject", {}
    try:
        roots = read(values, path="helm.values").roots
        tree: Any = resolved(roots[0]) if roots else {}
    except BadInput:
        tree = None
    return "values", tree if is_plain(tree) else {}


def _values_text(application: Object, source: ArgoSource, key: str, found: Fragment) -> str:
    """The values alone, for a file or a text of values; an object of values where it stands in the application."""
    if not found.values or key == "values":
        return document(found.values) if found.values else ""
    if source.way[-1].endswith("]"):
        return document({"helm": {key: found.values}})
    manifest = head("argoproj.io/v1alpha1", "Application", application)
    return document({**manifest, **nested((*source.way, "helm", key), found.values)})


def _chart_notes(case: Case, helm: Object, files: list[str], *, inline: bool) -> Iterator[str]:
    names = [text(one, "name") for kind in ("parameters", "fileParameters") for one in listed(helm, kind)]
    set_there = [name for name in names if any(is_named_like(_key(name), field) for field in case.fields)]
    if set_there:
        yield f"helm.parameters sets {listing(set_there)}: it wins over all values"
    if inline and files:
        yield f"value files were not read: {listing(files)}; values in the application win over them"
    elif files:
        yield "value files were not read: where one has the list already, add to it there; the last file wins"
    if text(helm, "values") and not part(helm, "valuesObject") and not inline:
        yield "helm.values holds no map that could be read"


def _key(name: str) -> str:
    """The last key of a parameter's path that is not a place in a list: tolerations of `a.tolerations[0].key`."""
    return name.partition("[")[0].rpartition(".")[2]


def _file_in_words(name: str, source: ArgoSource) -> str:
    """A value file; `$ref/path` lies in the repository of another source."""
    ref, _, path = name.removeprefix("$").partition("/")
    return f"{path} of {source.repositories[ref]}" if name.startswith("$") and ref in source.repositories else name


def _chart_commands(case: Case, source: ArgoSource, files: list[str]) -> tuple[str, ...]:
    """The way through files; without any the chart's own values.yaml is edited."""
    chart = "CHART" if text(source.spec, "chart") else folder(text(source.spec, "path"))
    values = ("--values", "FILE") if files else ()
    return command("kubectl", "dscov", "fix", *case.named, *values, "--chart", chart)
