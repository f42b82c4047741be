"""A Helm release: its values. What Helm keeps in Secrets is never read."""

from __future__ import annotations

from dscov.origin.asking import is_name
from dscov.origin.nouns import Case, Origin
from dscov.origin.texts import command, document
from dscov.origin.values import fragment


def helm_release(case: Case) -> Origin:
    """The values of the release that the DaemonSet is marked with."""
    held = case.daemonset.annotations
    release, namespace = (held.get(f"meta.helm.sh/release-{what}", "") for what in ("name", "namespace"))
    chart = case.daemonset.labels.get("helm.sh/chart", "")
    found = fragment({}, case.fields, case.daemonset.name, where="what was read")
    notes = [
        "the path of a value depends on the chart: with --chart, fix finds it in the templates",
        *(note for note in found.notes if "what was read" not in note),
    ]
    if chart:
        notes.append(f"the chart that is installed is {chart} (label helm.sh/chart): upgrade with the same version")
    named = f"{release} in namespace {namespace}" if release else "that installed it, whose name it does not tell"
    return Origin(
        "helm",
        f"the values of the Helm release {named}",
        text=document(found.values) if found.values else "",
        commands=_commands(case, release, namespace),
        notes=tuple(notes),
        fate=case.owner.fate,
    )


def _commands(case: Case, release: str, namespace: str) -> tuple[str, ...]:
    fix = command("kubectl", "dscov", "fix", *case.named, "--values", "values.yaml", "--chart", "CHART")
    if not is_name(release) or not is_name(namespace):
        return fix
    return (
        f"helm get values {release} -n {namespace} -o yaml > values.yaml",
        *fix,
        f"helm upgrade {release} CHART -n {namespace} -f values.yaml",
    )
