"""Which value of a Helm chart feeds a scheduling field of its DaemonSet: read from the templates, never rendered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dscov.errors import CouldNotLook, Refused
from dscov.model.edits import Target
from dscov.patterns import pattern

_ACTION = pattern(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_VALUE = pattern(r"(?:\$|\B)\.Values((?:\.[A-Za-z_][\w-]*)+)")
_DOT = pattern(r"(?<![\w.)$\"])\.(?![\w])|(?<![\w.)$\"])\.((?:[A-Za-z_][\w-]*)(?:\.[A-Za-z_][\w-]*)*)")
_KIND = pattern(r"^kind:\s*[\"']?DaemonSet\b", re.MULTILINE)
_INCLUDE = pattern(r"(?:include|template)\s+\"([^\"]+)\"")
_DEFINE = pattern(
    r"\{\{-?\s*define\s+\"([^\"]+)\"\s*-?\}\}(.*?)\{\{-?\s*end\s*-?\}\}\s*(?=\{\{-?\s*(?:define|/\*)|\Z)", re.DOTALL
)


def feeding_path(chart: Path, field: str, target: Target) -> tuple[str, ...]:
    """The path in the values, as (`daemonset`, `tolerations`); Refused where there is none or more than one."""
    if not (chart / "Chart.yaml").is_file():
        raise CouldNotLook(f"{chart}: no Helm chart (there is no Chart.yaml)")
    templates = [file for file in sorted((chart / "templates").rglob("*")) if file.suffix in (".yaml", ".yml", ".tpl")]
    texts = {file: file.read_text(encoding="utf-8", errors="replace") for file in templates}
    defined = {name: body for text in texts.values() for name, body in _DEFINE.findall(text)}
    found: dict[str, str] = {}
    for file, text in texts.items():
        for part in re.split(r"^---.*$", text, flags=re.MULTILINE):
            if _KIND.search(part):
                found |= dict.fromkeys(_feeds(part, field, defined), file.name)
    narrowed = {path: file for path, file in found.items() if _belongs(path, file, target.name)}
    found = narrowed or found
    found = {path: file for path, file in found.items() if path.split(".")[-1] == field} or found
    if len(found) == 1:
        return tuple(next(iter(found)).split("."))
    remedy = "Say which one with --values-path: " + ", ".join(f"{path} ({file})" for path, file in found.items())
    if not found:
        raise Refused(
            f"{chart}: no value feeds {field} of a DaemonSet",
            remedy="Change the template by hand, or name --values-path.",
        )
    raise Refused(f"{chart}: more than one value may feed {field} of a DaemonSet", remedy=remedy)


def _belongs(path: str, file: str, name: str | None) -> bool:
    """Whether the DaemonSet's name speaks for this value: charts with several name values or files after them."""
    if name is None:
        return False
    words = [*path.split(".")[:-1], re.sub(r"[-_]?(daemonset|ds)?\.(ya?ml)$", "", file)]
    return any(_bare(word) and _bare(word) in _bare(name) for word in words)


def _bare(word: str) -> str:
    return re.sub(r"[^a-z0-9]", "", word.lower())


def _feeds(part: str, field: str, defined: dict[str, str]) -> Iterator[str]:
    """The values that are put out below the key `field`, with `with` and `range` followed."""
    scopes: list[str | None] = []
    inside = -1
    position = 0
    for action in _ACTION.finditer(part):
        inside = _still_inside(part[position : action.start()], field, inside)
        position = action.end()
        words = action[1]
        opening = re.match(r"(?:else\s+)?(with|range|if|define|block)\b(.*)", words, re.DOTALL)
        if words.startswith("end") and scopes:
            scopes.pop()
        elif opening and not words.startswith("else"):
            moves = opening[1] in ("with", "range")
            scopes.append(_first(opening[2], _dot(scopes)) if moves else _dot(scopes))
            if inside >= 0 and opening[1] == "range" and (over := _dot(scopes)):
                yield over
        elif inside >= 0 and not words.startswith(("else", "/*")) and (path := _put_out(words, _dot(scopes), defined)):
            yield path


def _still_inside(text: str, field: str, inside: int) -> int:
    """The indent of the key `field` while its value lasts, -1 outside of it."""
    for line in text.splitlines():
        bare = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        if re.match(rf"[\"']?{field}[\"']?:(\s|$)", bare):
            inside = indent
        elif bare and not bare.startswith(("#", "-")) and indent <= inside and re.match(r"[\w\"'-]+:", bare):
            inside = -1
    return inside


def _put_out(words: str, dot: str | None, defined: dict[str, str]) -> str | None:
    include = _INCLUDE.search(words)
    if include:
        values = _VALUE.findall(defined.get(include[1], ""))
        return values[0].lstrip(".") if len(set(values)) == 1 else _first(words, dot)
    return _first(words, dot)


def _first(words: str, dot: str | None) -> str | None:
    """The first value that an action names: `.Values.a.b`, or the dot of the enclosing `with`."""
    value = _VALUE.search(words)
    if value:
        return value[1].lstrip(".")
    relative = _DOT.search(words)
    if relative and dot is not None:
        return f"{dot}.{relative[1]}" if relative[1] else dot
    return None


def _dot(scopes: list[str | None]) -> str | None:
    return scopes[-1] if scopes else None
