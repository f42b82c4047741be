"""Where the scheduling of a manifest is not that of the live object, so that what was planned for one holds not for both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dscov.errors import Refused
from dscov.kube.revisions import Strategy
from dscov.patches.affinity import terms_of
from dscov.patches.fields import in_daemonset, value_at
from dscov.patches.manifest import is_partial
from dscov.patches.settled import settled
from dscov.patches.strategy import DEFAULTS
from dscov.patches.tolerations import spec_of
from dscov.patches.wording import spelt, spelt_term

#: The fields of a pod template that say on which nodes it runs.
_PLACING = ("tolerations", "nodeSelector", "affinity", "nodeName")
_FIELDS = (*_PLACING, "topologySpreadConstraints", "priorityClassName", "updateStrategy")


class Drift(NamedTuple):
    """A field that differs, and in words what only the object in the cluster has and what only the file has."""

    field: str
    only_cluster: tuple[str, ...]
    only_file: tuple[str, ...]


def drifts(live: Mapping[str, Any], filed: Mapping[str, Any]) -> tuple[Drift, ...]:
    """The scheduling fields that do not mean the same in both, with the defaults of apps/v1; a partial file says nothing."""
    if is_partial(filed):
        return ()
    found = []
    for field in _FIELDS:
        values = [_value(one, field) for one in (live, filed)]
        if values[0] != values[1]:
            there, here = (_words(field, value) for value in values)
            found.append(Drift(field, _less(there, here), _less(here, there)))
    return tuple(found)


def as_filed(live: Mapping[str, Any], filed: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The patch (RFC 6902) that gives a live DaemonSet the placing of a manifest."""
    steps: list[Mapping[str, Any]] = []
    for field in _PLACING:
        path = in_daemonset(field)
        old, new = value_at(live, path), value_at(filed, path)
        place = "/" + "/".join(map(str, path))
        if new:
            steps.append({"op": "add", "path": place, "value": new})
        elif old is not None:
            steps.append({"op": "remove", "path": place})
    return tuple(steps)


def _value(obj: Mapping[str, Any], field: str) -> Any:
    found = value_at(settled(obj), in_daemonset(field))
    if field == "updateStrategy":
        return _strategy(found)
    if field == "tolerations" and isinstance(found, list):
        return [one for i, one in enumerate(found) if one not in found[:i]]
    return found or None


def _strategy(found: Any) -> dict[str, Any]:
    """The type and the numbers as the API server fills them in (SetDefaults_DaemonSet)."""
    given = found if isinstance(found, Mapping) else {}
    kind = given.get("type") or Strategy().type
    numbers = given.get("rollingUpdate")
    numbers = numbers if isinstance(numbers, Mapping) else {}
    defaults = DEFAULTS if kind == Strategy().type else {}
    return {"type": kind, **defaults, **{name: value for name, value in numbers.items() if value is not None}}


def _words(field: str, value: Any) -> tuple[str, ...]:
    """The parts of a field for people; empty where they would be long."""
    if field == "tolerations" and isinstance(value, list):
        return tuple(map(_toleration, value))
    if isinstance(value, Mapping) and field != "affinity":
        return tuple(f"{key}={part}" for key, part in value.items())
    if field == "affinity":
        try:
            return tuple(map(spelt_term, terms_of(value)))
        except Refused:
            return ()
    return (value,) if isinstance(value, str) else ()


def _toleration(item: Any) -> str:
    spec = spec_of(item)
    return spelt(spec, exact=True) + ("" if spec.seconds is None else f" for {spec.seconds}s")


def _less(some: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one in some if one not in others)
