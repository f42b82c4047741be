"""Helm as a second witness: what a chart renders before and after a change of its values, compared with the plan."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dscov.errors import BadInput, CouldNotLook, NotFound, Refused
from dscov.model.edits import Plan
from dscov.patches.change import on_object
from dscov.patches.programs import run
from dscov.patches.settled import settled
from dscov.yamltext.document import read
from dscov.yamltext.meaning import resolved

_MOST_FILES, _MOST_BYTES = 2000, 32 * 1024 * 1024
_RELEASE = "dscov-release"
_LOOK = "Compare `helm template` with the old and the new values, and name the right value with --values-path."
Objects = dict[tuple[str, str, str], dict[str, Any]]


def helm_program() -> str | None:
    """The helm on the PATH."""
    return shutil.which("helm")


def check(plan: Plan, chart: Path, values: Path, *, old: bytes, new: bytes) -> tuple[str, ...]:
    """Notes where helm renders what was planned, or could not say; Refused where it renders something else."""
    program = helm_program()
    if program is None:
        return ("there is no helm on the PATH: the templates were read, not rendered",)
    try:
        before, after = (_rendered(program, chart, values, text) for text in (old, new))
    except CouldNotLook as error:
        return (f"helm could not render the chart, so its templates were read alone: {error}",)
    return _compared(plan, chart, before, after)


def _compared(plan: Plan, chart: Path, before: Objects, after: Objects) -> tuple[str, ...]:
    daemonsets = [key for key in before if key[0] == "DaemonSet"]
    if not daemonsets:
        return ("helm renders no DaemonSet with these values: the templates were read alone",)
    changed = [key for key in {**before, **after} if _meant(before.get(key)) != _meant(after.get(key))]
    mine = [key for key in changed if key[0] == "DaemonSet"]
    wanted = [key for key in mine if _is_named(key[2], plan.target.name)]
    if not wanted:
        what = f"daemonset/{plan.target.name}" if plan.target.name else "DaemonSet"
        raise Refused(f"{chart}: with the new values helm renders no {what} that differs", remedy=_LOOK)
    for key in wanted:
        _check_one(plan, chart, key, (before.get(key, {}), after.get(key, {})))
    others = [f"{kind}/{name}" for kind, _, name in changed if (kind, _, name) not in wanted]
    known = f"helm renders daemonset/{', daemonset/'.join(key[2] for key in wanted)} as planned"
    return (f"{known}; the same value changes {', '.join(others[:5])}" if others else known,)


def _check_one(plan: Plan, chart: Path, key: tuple[str, str, str], pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    before, after = pair
    try:
        _, expected = on_object(before, plan.edits)
    except (NotFound, Refused) as error:
        raise Refused(f"{chart}: what helm renders has no place for the plan: {error}", remedy=_LOOK) from error
    if _meant(expected) != _meant(after):
        raise Refused(f"{chart}: helm renders daemonset/{key[2]} otherwise than planned", remedy=_LOOK)


def _is_named(name: str, target: str | None) -> bool:
    return target is None or name == target or target.endswith(name.removeprefix(_RELEASE).strip("-") or name)


def _meant(data: Mapping[str, Any] | None) -> Any:
    """The spec without the annotations of pods: charts keep check sums of their values there."""
    if data is None:
        return None
    spec = settled(data)
    template = spec["spec"].get("template") if isinstance(spec["spec"], dict) else None
    if not isinstance(template, dict) or not isinstance(template.get("metadata"), dict):
        return spec
    metadata = {name: value for name, value in template["metadata"].items() if name != "annotations"}
    return {"spec": {**spec["spec"], "template": {**template, "metadata": metadata}}}


def _rendered(program: str, chart: Path, values: Path, text: bytes) -> Objects:
    """The objects with pods that helm makes of the chart with `text` in place of the values file."""
    with tempfile.TemporaryDirectory(prefix="dscov-") as scratch:
        folder, file = Path(scratch, "chart"), Path(scratch, "values.yaml")
        own = (chart / "values.yaml").resolve() == values.resolve()
        used = _copied(chart, folder) if own else chart
        (used / "values.yaml" if own else file).write_bytes(text)
        more = {f"HELM_{name}_HOME": str(Path(scratch, name)) for name in ("CACHE", "CONFIG", "DATA")}
        words = [program, "template", _RELEASE, str(used.resolve()), *([] if own else ["--values", str(file)])]
        done = run(words, shut=True, more=more)
        if done.code:
            raise CouldNotLook(done.reason)
        try:
            return dict(_objects([resolved(root) for root in read(done.out).roots]))
        except BadInput as error:
            raise CouldNotLook(f"what it renders cannot be read: {error.problem}") from error


def _objects(documents: Sequence[Any]) -> Iterator[tuple[tuple[str, str, str], dict[str, Any]]]:
    for data in documents:
        spec = data.get("spec") if isinstance(data, dict) else None
        if isinstance(spec, dict) and "template" in spec and isinstance(data.get("metadata"), dict):
            place = (str(data["metadata"].get(name) or "") for name in ("namespace", "name"))
            yield (str(data.get("kind")), *place), data  # type: ignore[misc]


def _copied(chart: Path, folder: Path) -> Path:
    """A copy of a chart without what is not of it, so that the user's own stays untouched."""
    files = [path for path in chart.rglob("*") if ".git" not in path.parts and path.is_file()]
    if len(files) > _MOST_FILES or sum(path.stat().st_size for path in files) > _MOST_BYTES:
        raise CouldNotLook("the folder is too large for a chart")
    shutil.copytree(chart, folder, ignore=shutil.ignore_patterns(".git"), ignore_dangling_symlinks=True)
    return folder
