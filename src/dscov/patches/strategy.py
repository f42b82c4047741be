"""Update strategies that the API server would refuse, told before anything is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dscov.errors import Refused
from dscov.kube.revisions import Strategy
from dscov.model.edits import Edit
from dscov.patches.fields import field_of, in_daemonset, value_at
from dscov.patches.manifest import is_partial

#: The numbers of a rolling update that says nothing (SetDefaults_DaemonSet).
DEFAULTS = {"maxUnavailable": Strategy().max_unavailable, "maxSurge": Strategy().max_surge}
_REMEDY = (
    "Exactly one of the two is not 0: give both, as in --set-max-unavailable 0 --set-max-surge 1, "
    "or --set-max-unavailable 1 --set-max-surge 0."
)


def check_strategy(after: Mapping[str, Any], edits: Sequence[Edit]) -> None:
    """Refused where `edits` leave a whole DaemonSet with numbers that the API server does not take.

    ValidateRollingUpdateDaemonSet in pkg/apis/apps/validation, with the defaults of apps/v1 filled in: exactly one of
    maxUnavailable and maxSurge may be not 0, where `0%` is 0 too, and neither is more than 100%.
    """
    path = in_daemonset("updateStrategy")
    if not any(in_daemonset(field_of(edit))[: len(path)] == path for edit in edits) or is_partial(after):
        return
    if value_at(after, (*path, "type")) not in (None, "", "RollingUpdate"):
        return
    found = {name: value_at(after, (*path, "rollingUpdate", name)) for name in DEFAULTS}
    values = {name: DEFAULTS[name] if value is None else value for name, value in found.items()}
    numbers = {name: _number(value) for name, value in values.items()}
    for name, value in values.items():
        if isinstance(value, str) and (numbers[name] or 0) > 100:
            raise Refused(f"updateStrategy: {name} {value} is more than 100%", remedy="Give 100% or less.")
    if None in numbers.values() or sum(map(bool, numbers.values())) == 1:
        return
    both = " and ".join(
        f"{name} {value}{' (the default)' if found[name] is None else ''}" for name, value in values.items()
    )
    fault = "are both not 0" if any(numbers.values()) else "are both 0"
    raise Refused(f"updateStrategy: {both} {fault}, which the API server refuses", remedy=_REMEDY)


def _number(value: Any) -> int | None:
    """A count or the number of a percentage; None for what is neither, which is another's matter."""
    if isinstance(value, str):
        found = re.fullmatch(r"([0-9]{1,9})%", value)
        return int(found[1]) if found else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
