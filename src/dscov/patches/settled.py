"""A DaemonSet's spec in one form: what means the same to Kubernetes is the same here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from dscov.patches.affinity import REQUIRED
from dscov.patches.fields import POD_SPEC

_STRATEGY = ("spec", "updateStrategy")
_TERMS = (*POD_SPEC, "affinity", *REQUIRED, "nodeSelectorTerms")


def settled(daemonset: Mapping[str, Any]) -> dict[str, Any]:
    """`spec` alone: tolerations, terms, expressions and values sorted, what is empty in the scheduling fields left out."""
    data: Any = {"spec": daemonset.get("spec") or {}}
    data = _at(data, (*POD_SPEC, "tolerations"), lambda items: _sorted(_each(items, _toleration)))
    data = _at(data, _TERMS, lambda terms: _sorted(_each(terms, _term)))
    for path in (*(_TERMS[:length] for length in range(len(_TERMS), 3, -1)), *_SPARE):
        data = _at(data, path, lambda value: value or None)
    return dict(data)


_SPARE = (
    *((*POD_SPEC, name) for name in ("tolerations", "nodeSelector", "schedulingGates", "priorityClassName")),
    (*POD_SPEC, "schedulerName"),
    (*POD_SPEC, "nodeName"),
    (*_STRATEGY, "rollingUpdate"),
    _STRATEGY,
)


def _at(data: Any, path: tuple[str, ...], form: Callable[[Any], Any]) -> Any:
    """`data` with the value at `path` in another form; None takes the key out, and nothing is made that is not there."""
    if not isinstance(data, Mapping) or path[0] not in data:
        return data
    value = data[path[0]]
    if len(path) > 1:
        value = _at(value, path[1:], form)
    elif value is not None:
        value = form(value)
    rest = {key: item for key, item in data.items() if key != path[0]}
    return rest if value is None else {key: value if key == path[0] else item for key, item in data.items()}


def _toleration(item: Any) -> Any:
    if not isinstance(item, Mapping):
        return item
    kept = {key: value for key, value in item.items() if value not in (None, "")}
    return {"operator": "Equal", **kept}


def _term(term: Any) -> Any:
    if not isinstance(term, Mapping):
        return term
    return {name: _unique(_sorted(_each(found, _expression))) for name, found in term.items() if found}


def _expression(item: Any) -> Any:
    if not isinstance(item, Mapping):
        return item
    kept = {key: value for key, value in item.items() if value not in (None, [])}
    return {**kept, "values": sorted(map(str, kept["values"]))} if isinstance(kept.get("values"), list) else kept


def _each(items: Any, form: Callable[[Any], Any]) -> Any:
    return [form(item) for item in items] if isinstance(items, list) else items


def _unique(items: Any) -> Any:
    return [one for i, one in enumerate(items) if one not in items[:i]] if isinstance(items, list) else items


def _sorted(items: Any) -> Any:
    if not isinstance(items, list):
        return items
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True, default=str))
