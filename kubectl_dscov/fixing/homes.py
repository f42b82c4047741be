"""The namespace of a DaemonSet as its own manifest names it, which kubectl goes by where no -n is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click


def at_home(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The values, with the namespace that the manifests of -f, or the kustomization of -k, name where none was given.

    Of several namespaces all are read, and `homes` holds those that are meant. A usage error where -n names another
    namespace than every manifest of that name does.
    """
    from dscov import targets_in

    # --offline runs no other program, and a kustomization takes one.
    folder = None if values.get("offline") else values.get("kustomization")
    found = [one for one in targets_in(values["files"], folder) if not names or one.name in names]
    homes = {one.namespace for one in found}
    given = values["namespace"]
    if values["all_namespaces"] or not homes or None in homes:
        return dict(values)
    if not given:
        sole = next(iter(homes)) if len(homes) == 1 else None
        return {**values, "namespace": sole, "all_namespaces": sole is None, "homes": homes}
    if given not in homes:
        named = f"daemonset/{found[0].name}" if len(found) == 1 else "every DaemonSet there"
        way = "name one of them" if names and len(homes) > 1 else "leave -n out"
        where = ", ".join(sorted(map(str, homes)))
        raise click.UsageError(
            f"the {'kustomization' if folder else 'manifest'} puts {named} into namespace {where}, not {given}: {way}"
        )
    return dict(values)
