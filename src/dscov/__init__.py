"""The engine of `kubectl dscov`: every DaemonSet joined with every node.

Kubernetes' own rules on plain API objects (dicts as read from JSON): `placement`, `pod_requests`, `requests_on_node`,
`parse_quantity`, `parse_selector`, `rollout_budget`. The verbs: `read_saved`, `diagnose`.
Names are loaded on first use, so that importing this package costs next to nothing; `__init__.pyi` tells type checkers
of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_NAMES: dict[str, tuple[str, ...]] = {
    "dscov.causes": ("cause_of", "cause_slugs", "page", "registry"),
    "dscov.clock": ("time_of",),
    "dscov.diagnosis": ("diagnose",),
    "dscov.explanation": ("Step", "Walk", "explain"),
    "dscov.intent": ("read_expectation",),
    "dscov.kube.counters": ("Counters",),
    "dscov.kube.quantities": ("parse_quantity",),
    "dscov.kube.requests": ("pod_requests", "requests_on_node"),
    "dscov.kube.revisions": ("rollout_budget",),
    "dscov.kube.selectors": ("Selector", "parse_selector"),
    "dscov.kube.versions": ("parse_version",),
    "dscov.live": ("read_cluster", "read_room"),
    "dscov.model.causes": ("Cause",),
    "dscov.model.cluster": ("DaemonSet", "Node", "Pod", "Snapshot", "Source"),
    "dscov.model.edits": (
        "AddAffinityExpression",
        "AddToleration",
        "ChangeAffinityExpression",
        "ChangeToleration",
        "Edit",
        "Expression",
        "Plan",
        "RemoveAffinityExpression",
        "RemoveToleration",
        "RemoveTolerationSeconds",
        "ReplaceAffinityTerms",
        "SetField",
        "SetNodeSelector",
        "SetPriorityClass",
        "SetUpdateStrategy",
        "Target",
        "Term",
        "TextEdit",
        "TolerationSpec",
        "UnsetField",
        "UnsetNodeSelector",
    ),
    "dscov.model.findings": (
        "Accepted",
        "Coverage",
        "Diagnosis",
        "Finding",
        "Pair",
        "Remedy",
        "Since",
        "Summary",
        "Unused",
        "Verdict",
    ),
    "dscov.model.grace": ("Grace", "parse_duration", "span_text"),
    "dscov.model.owners": ("owner_of",),
    "dscov.model.policy": ("Policy", "Settings"),
    "dscov.model.proposals": ("Left", "Option", "Outlook", "Proposal"),
    "dscov.model.roles": ("ROLES", "Role", "role_of"),
    "dscov.model.timeline": ("CHANGES",),
    "dscov.origin": ("Origin", "origin_of"),
    "dscov.outlook": ("assess", "fields_of", "foresee"),
    "dscov.patches.change": ("Change", "effective"),
    "dscov.patches.derive": ("edits_between",),
    "dscov.patches.diff": ("unified", "work_tree"),
    "dscov.patches.drift": ("Drift", "as_filed", "drifts"),
    "dscov.patches.exclusion": ("accept_exclusions",),
    "dscov.patches.folder": ("folder_edits", "rendered", "stem_of"),
    "dscov.patches.from_edits": ("option_of", "patch_of"),
    "dscov.patches.front": (
        "Several",
        "change",
        "change_at",
        "change_kustomization",
        "change_values",
        "check_sources",
        "patch",
        "targets_in",
    ),
    "dscov.patches.joined": ("joined",),
    "dscov.patches.live_forms": ("edit_of_objects", "live_change", "live_edit", "live_form"),
    "dscov.patches.wording": ("sentence",),
    "dscov.planner": ("propose",),
    "dscov.policy": ("FILE_NAME", "find_policy", "read_policy", "read_until"),
    "dscov.simulation": ("patched",),
    "dscov.sinks.cluster": ("Writer", "check_kept", "check_same"),
    "dscov.sinks.file_records": ("FileRecord", "kept_files", "take_back", "undoing_files", "write_kept"),
    "dscov.sinks.files": ("replacing", "write"),
    "dscov.sinks.planfile": ("item_of", "plan_text", "read_plan"),
    "dscov.sinks.records": ("Record", "is_void", "keep", "kept", "record_of", "undoing", "with_stored"),
    "dscov.sinks.rollout": ("follow",),
    "dscov.sinks.state": ("drop",),
    "dscov.sources.access.model": ("Access", "Overrides"),
    "dscov.sources.access.resolve": ("resolve",),
    "dscov.sources.access.transport": ("Transport",),
    "dscov.sources.names": ("kubeconfig_names", "list_names"),
    "dscov.sources.plain": ("placement",),
    "dscov.sources.saved": ("read_saved",),
    "dscov.verification": ("Check", "broken", "is_through", "lost", "verify"),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}

__all__ = [*_HOMES]  # noqa: PLE0604 - they are strings, written down in the table


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name not in _HOMES:
        raise AttributeError(f"module 'dscov' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
