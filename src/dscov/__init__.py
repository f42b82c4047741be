"""The engine of `kubectl dscov`: every DaemonSet joined with every node.

Kubernetes' own rules on plain API objects (dicts as read from JSON): `placement`, `pod_requests`, `requests_on_node`,
`parse_quantity`, `parse_selector`, `rollout_budget`. The verbs: `read_saved`, `diagnose`.
Names are loaded on first use, so that importing this package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dscov.causes import cause_of, page, registry
    from dscov.clock import time_of
    from dscov.diagnosis import diagnose
    from dscov.explanation import Step, Walk, explain
    from dscov.intent import read_expectation
    from dscov.kube.counters import Counters
    from dscov.kube.quantities import parse_quantity
    from dscov.kube.requests import pod_requests, requests_on_node
    from dscov.kube.revisions import rollout_budget
    from dscov.kube.selectors import Selector, parse_selector
    from dscov.kube.versions import parse_version
    from dscov.live import read_cluster, read_room
    from dscov.model.causes import Cause
    from dscov.model.cluster import DaemonSet, Node, Pod, Snapshot, Source
    from dscov.model.edits import (
        AddAffinityExpression,
        AddToleration,
        ChangeAffinityExpression,
        ChangeToleration,
        Edit,
        Expression,
        Plan,
        RemoveAffinityExpression,
        RemoveToleration,
        RemoveTolerationSeconds,
        ReplaceAffinityTerms,
        SetField,
        SetNodeSelector,
        SetPriorityClass,
        SetUpdateStrategy,
        Target,
        Term,
        TextEdit,
        TolerationSpec,
        UnsetField,
        UnsetNodeSelector,
    )
    from dscov.model.findings import (
        Accepted,
        Coverage,
        Diagnosis,
        Finding,
        Pair,
        Remedy,
        Since,
        Summary,
        Unused,
        Verdict,
    )
    from dscov.model.grace import Grace, parse_duration, span_text
    from dscov.model.owners import owner_of
    from dscov.model.policy import Policy, Settings
    from dscov.model.proposals import Left, Option, Outlook, Proposal
    from dscov.model.roles import ROLES, Role, role_of
    from dscov.model.timeline import CHANGES
    from dscov.origin import Origin, origin_of
    from dscov.outlook import assess, foresee
    from dscov.patches.change import Change
    from dscov.patches.derive import edits_between
    from dscov.patches.diff import unified
    from dscov.patches.exclusion import accept_exclusions
    from dscov.patches.folder import folder_edits, rendered
    from dscov.patches.from_edits import patch_of
    from dscov.patches.front import Several, change, change_at, change_kustomization, change_values, patch
    from dscov.patches.live_forms import edit_of_objects, live_change, live_edit, live_form
    from dscov.patches.wording import sentence
    from dscov.planner import propose
    from dscov.policy import FILE_NAME, find_policy, read_policy, read_until
    from dscov.simulation import patched
    from dscov.sinks.cluster import Writer, check_same
    from dscov.sinks.files import replacing, write
    from dscov.sinks.planfile import item_of, plan_text, read_plan
    from dscov.sinks.records import Record, drop, keep, kept, record_of, undoing, with_stored
    from dscov.sinks.rollout import follow
    from dscov.sources.access.model import Access, Overrides
    from dscov.sources.access.resolve import resolve
    from dscov.sources.access.transport import Transport
    from dscov.sources.plain import placement
    from dscov.sources.saved import read_saved
    from dscov.verification import Check, broken, verify

__version__ = "0.1.0"

_HOMES = {
    **dict.fromkeys(
        (
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
        "dscov.model.edits",
    ),
    **dict.fromkeys(
        ("Several", "change", "change_at", "change_kustomization", "change_values", "patch"), "dscov.patches.front"
    ),
    "Change": "dscov.patches.change",
    **dict.fromkeys(("folder_edits", "rendered"), "dscov.patches.folder"),
    "unified": "dscov.patches.diff",
    "write": "dscov.sinks.files",
    **dict.fromkeys(("Step", "Walk", "explain"), "dscov.explanation"),
    "Cause": "dscov.model.causes",
    "Counters": "dscov.kube.counters",
    **dict.fromkeys(("cause_of", "page", "registry"), "dscov.causes"),
    **dict.fromkeys(("DaemonSet", "Node", "Pod", "Snapshot", "Source"), "dscov.model.cluster"),
    **dict.fromkeys(
        ("Accepted", "Coverage", "Diagnosis", "Finding", "Pair", "Remedy", "Since", "Summary", "Unused", "Verdict"),
        "dscov.model.findings",
    ),
    **dict.fromkeys(("Grace", "parse_duration", "span_text"), "dscov.model.grace"),
    "owner_of": "dscov.model.owners",
    **dict.fromkeys(("Policy", "Settings"), "dscov.model.policy"),
    **dict.fromkeys(("ROLES", "Role", "role_of"), "dscov.model.roles"),
    "read_expectation": "dscov.intent",
    **dict.fromkeys(("FILE_NAME", "find_policy", "read_policy", "read_until"), "dscov.policy"),
    "CHANGES": "dscov.model.timeline",
    "accept_exclusions": "dscov.patches.exclusion",
    "diagnose": "dscov.diagnosis",
    **dict.fromkeys(("Access", "Overrides"), "dscov.sources.access.model"),
    "resolve": "dscov.sources.access.resolve",
    "time_of": "dscov.clock",
    **dict.fromkeys(("Origin", "origin_of"), "dscov.origin"),
    **dict.fromkeys(("Left", "Option", "Outlook", "Proposal"), "dscov.model.proposals"),
    **dict.fromkeys(("assess", "foresee"), "dscov.outlook"),
    **dict.fromkeys(("patch_of",), "dscov.patches.from_edits"),
    **dict.fromkeys(("edit_of_objects", "live_change", "live_edit", "live_form"), "dscov.patches.live_forms"),
    **dict.fromkeys(("sentence",), "dscov.patches.wording"),
    **dict.fromkeys(("patched",), "dscov.simulation"),
    **dict.fromkeys(("Writer", "check_same"), "dscov.sinks.cluster"),
    **dict.fromkeys(("replacing",), "dscov.sinks.files"),
    **dict.fromkeys(("item_of", "read_plan"), "dscov.sinks.planfile"),
    **dict.fromkeys(("Record", "drop", "keep", "kept", "record_of", "undoing", "with_stored"), "dscov.sinks.records"),
    **dict.fromkeys(("follow",), "dscov.sinks.rollout"),
    **dict.fromkeys(("Transport",), "dscov.sources.access.transport"),
    **dict.fromkeys(("Check", "broken", "verify"), "dscov.verification"),
    **dict.fromkeys(("read_cluster", "read_room"), "dscov.live"),
    "propose": "dscov.planner",
    "edits_between": "dscov.patches.derive",
    "plan_text": "dscov.sinks.planfile",
    "parse_quantity": "dscov.kube.quantities",
    **dict.fromkeys(("Selector", "parse_selector"), "dscov.kube.selectors"),
    "parse_version": "dscov.kube.versions",
    "placement": "dscov.sources.plain",
    **dict.fromkeys(("pod_requests", "requests_on_node"), "dscov.kube.requests"),
    "read_saved": "dscov.sources.saved",
    "rollout_budget": "dscov.kube.revisions",
}

__all__ = [
    "CHANGES",
    "FILE_NAME",
    "ROLES",
    "Accepted",
    "Access",
    "AddAffinityExpression",
    "AddToleration",
    "Cause",
    "Change",
    "ChangeAffinityExpression",
    "ChangeToleration",
    "Check",
    "Counters",
    "Coverage",
    "DaemonSet",
    "Diagnosis",
    "Edit",
    "Expression",
    "Finding",
    "Grace",
    "Left",
    "Node",
    "Option",
    "Origin",
    "Outlook",
    "Overrides",
    "Pair",
    "Plan",
    "Pod",
    "Policy",
    "Proposal",
    "Record",
    "Remedy",
    "RemoveAffinityExpression",
    "RemoveToleration",
    "RemoveTolerationSeconds",
    "ReplaceAffinityTerms",
    "Role",
    "Selector",
    "SetField",
    "SetNodeSelector",
    "SetPriorityClass",
    "SetUpdateStrategy",
    "Settings",
    "Several",
    "Since",
    "Snapshot",
    "Source",
    "Step",
    "Summary",
    "Target",
    "Term",
    "TextEdit",
    "TolerationSpec",
    "Transport",
    "UnsetField",
    "UnsetNodeSelector",
    "Unused",
    "Verdict",
    "Walk",
    "Writer",
    "accept_exclusions",
    "assess",
    "broken",
    "cause_of",
    "change",
    "change_at",
    "change_kustomization",
    "change_values",
    "check_same",
    "diagnose",
    "drop",
    "edit_of_objects",
    "edits_between",
    "explain",
    "find_policy",
    "folder_edits",
    "follow",
    "foresee",
    "item_of",
    "keep",
    "kept",
    "live_change",
    "live_edit",
    "live_form",
    "origin_of",
    "owner_of",
    "page",
    "parse_duration",
    "parse_quantity",
    "parse_selector",
    "parse_version",
    "patch",
    "patch_of",
    "patched",
    "placement",
    "plan_text",
    "pod_requests",
    "propose",
    "read_cluster",
    "read_expectation",
    "read_plan",
    "read_policy",
    "read_room",
    "read_saved",
    "read_until",
    "record_of",
    "registry",
    "rendered",
    "replacing",
    "requests_on_node",
    "resolve",
    "role_of",
    "rollout_budget",
    "sentence",
    "span_text",
    "time_of",
    "undoing",
    "unified",
    "verify",
    "with_stored",
    "write",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name not in _HOMES:
        raise AttributeError(f"module 'dscov' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
