"""The RBAC manifests of deploy/, made from the lists that the program reads and the one object that it writes."""

from __future__ import annotations

from dscov.sources.asks import DAEMONSETS, Ask, everything

READ_HEAD = """\
# What `kubectl dscov diagnose`, `explain` and `fix --dry-run` may read, and no more: made from the program, see
# tools/rbac.py. Whoever may see less gets an answer too, with what was not seen and what that means.
#
#   kubectl apply -f rbac-read.yaml
#   kubectl create clusterrolebinding dscov-read --clusterrole=dscov-read --user=NAME      (or --group, --serviceaccount)
#   kubectl create rolebinding dscov-read -n kube-system --role=dscov-read --user=NAME
"""
PATCH_HEAD = """\
# What `kubectl dscov fix` and `undo` need beside rbac-read.yaml to patch a live DaemonSet: made from the program, see
# tools/rbac.py. Editing files, and every --output form, needs none of this.
#
#   kubectl create clusterrolebinding dscov-patch --clusterrole=dscov-patch --user=NAME    (in all namespaces)
#   kubectl create rolebinding dscov-patch -n NAMESPACE --clusterrole=dscov-patch --user=NAME
"""
#: What src/dscov/sinks/cluster.py does with a DaemonSet.
WRITING = ("get", "patch")

Rule = tuple[str, str]


def read() -> str:
    """deploy/rbac-read.yaml"""
    asks = everything()
    whole = [ask for ask in asks if not ask.namespace]
    parts = [_role("ClusterRole", "dscov-read", _rules(whole), ("list",))]
    for namespace in sorted({ask.namespace for ask in asks} - {""}):
        there = _rules([ask for ask in asks if ask.namespace == namespace])
        parts.append(_role("Role", "dscov-read", there, ("list",), namespace))
    return READ_HEAD + "---\n".join(parts)


def patch() -> str:
    """deploy/rbac-patch.yaml"""
    return PATCH_HEAD + _role("ClusterRole", "dscov-patch", _rules([Ask(DAEMONSETS)]), WRITING)


def _rules(asks: list[Ask]) -> list[Rule]:
    """API group and resource of every list, each once."""
    kinds = dict.fromkeys(ask.kind for ask in asks)
    return sorted({(kind.group.partition("/")[0] if "/" in kind.group else "", kind.plural) for kind in kinds})


def _role(kind: str, name: str, rules: list[Rule], verbs: tuple[str, ...], namespace: str = "") -> str:
    """One role, a rule for each API group."""
    lines = ["apiVersion: rbac.authorization.k8s.io/v1", f"kind: {kind}", "metadata:", f"  name: {name}"]
    lines += [f"  namespace: {namespace}"] if namespace else []
    lines.append("rules:")
    for group in dict.fromkeys(group for group, _ in rules):
        resources = ", ".join(resource for other, resource in rules if other == group)
        lines += [f'  - apiGroups: ["{group}"]', f"    resources: [{resources}]", f"    verbs: [{', '.join(verbs)}]"]
    return "\n".join(lines) + "\n"
