"""The oracle on plain API objects, for embedders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dscov.kube.placement import Placement, place
from dscov.sources import decode, wire


def placement(daemonset: Mapping[str, Any], node: Mapping[str, Any], *, comparison_operators: bool = True) -> Placement:
    """Whether the DaemonSet controller wants a pod of `daemonset` on `node`, both plain API objects.

    The result has `should_run`, `should_continue_running` and `reasons` (all of them, in the controller's order).
    `comparison_operators` is the gate TaintTolerationComparisonOperators, judged as on by default: a server with the
    gate off refuses to store Lt and Gt. ValueError where an object has not the shape of the API.
    """
    try:
        ds = decode.daemonset(msgspec.convert(daemonset, wire.DaemonSet), daemonset)
        one = decode.node(msgspec.convert(node, wire.Node))
    except msgspec.ValidationError as problem:
        raise ValueError(f"not an object of the API: {problem}") from problem
    return place(
        ds.template, name=one.name, labels=one.labels, taints=one.taints, comparison_operators=comparison_operators
    )
