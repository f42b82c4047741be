"""Reading a policy file, `dscov.yaml`: what DaemonSets are meant to cover, and which gaps somebody accepts.

    apiVersion: dscov.dev/v1
    kind: CoveragePolicy
    virtualPools:                        # nodes that are no machines: no daemon is ever expected there
      - nodes: type=edge-gateway         # a label selector
        reason: no kubelet behind them   # optional
    daemonsets:
      - name: logging/*                  # namespace/name or name, * for any text; or, or besides,
        selector: tier=node-agent        # a label selector of DaemonSets
        expect: all                      # all, or a label selector of nodes; without it the intent is inferred
        accept:                          # gaps that are accepted; what is given of the first four must all hold
          - nodes: pool=gpu              # a label selector of nodes, or all
            names: [spot-*]              # names of nodes, * for any text
            cause: untolerated-taint     # the slug of a cause
            taint: dedicated=db          # key[=value][:effect] of a taint that keeps the daemon out
            reason: no logs wanted       # required
            until: 2026-12-31            # optional: from the end of this day (UTC), or this RFC 3339 time, it counts again

Of the rules that speak of a DaemonSet the first with `expect` says what is meant; the exclusions of all are accepted.
"""

from __future__ import annotations

import stat
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from dscov.errors import BadInput, NotFound
from dscov.kube.requirements import check_key, check_value
from dscov.kube.selectors import Selector, parse_selector
from dscov.kube.taints import Taint
from dscov.model.policy import ALL, Exclusion, Policy, Pool, Rule
from dscov.yamltext.values import read_values

API_VERSION, KIND = "dscov.dev/v1", "CoveragePolicy"
#: The file that is read where none is named.
FILE_NAME = "dscov.yaml"

_LIMIT = 8 * 1024 * 1024
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_DAY_FORMS = "a date such as 2026-12-31 or a time such as 2026-12-31T18:00:00Z"

_Steps = tuple[str | int, ...]


def read_policy(path: str, *, causes: Collection[str]) -> Policy:
    """The policy in the file `path`; `causes` are the slugs there are. NotFound without the file, BadInput if it is bad."""
    return parse_policy(_text(path), path=path, causes=causes)


def find_policy(*, causes: Collection[str]) -> Policy:
    """The policy in ./dscov.yaml; an empty one where there is no such file, or one of another kind."""
    if not Path(FILE_NAME).is_file():
        return Policy()
    try:
        values = [value for value in read_values(_text(FILE_NAME), FILE_NAME) if value is not None]
    except BadInput:
        values = []
    foreign = [value for value in values if not isinstance(value, dict) or value.get("kind", KIND) != KIND]
    return Policy() if foreign else read_policy(FILE_NAME, causes=causes)


def parse_policy(text: str, *, path: str, causes: Collection[str]) -> Policy:
    """The policy that a text means; BadInput with the line and the field where it means none."""
    documents = [value for value in read_values(text, path) if value is not None]
    if not documents:
        return Policy(path)
    if len(documents) > 1:
        raise BadInput("a policy is one document, this file holds more", path=path)
    return _Reader(text, path, causes).policy(documents[0])


def _text(path: str) -> str:
    try:
        known = Path(path).stat()
        if not stat.S_ISREG(known.st_mode):
            raise BadInput("not a plain file", path=path)
        if known.st_size > _LIMIT:
            raise BadInput(f"larger than {_LIMIT // 2**20} MiB", path=path)
        return Path(path).read_bytes().decode()
    except FileNotFoundError:
        raise NotFound(f"policy file {path} not found") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"not UTF-8 at byte {error.start}", path=path) from error
    except OSError as error:
        raise BadInput(f"could not be read: {error.strerror or error}", path=path) from error


def read_until(text: str) -> datetime:
    """The first moment after a day (in UTC), or a time with its zone (without one, UTC). ValueError for anything else."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not {_DAY_FORMS}") from None
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    try:
        return time if "T" in text or " " in text.strip() else time + timedelta(days=1)
    except OverflowError:
        raise ValueError(f"{text!r} is not {_DAY_FORMS}") from None


def read_taint(text: str) -> Taint:
    """The taint of `key[=value][:effect]`, with what is not given empty; ValueError where it is none."""
    left, colon, effect = text.rpartition(":")
    if not colon:
        left, effect = text, ""
    if colon and effect not in _EFFECTS:
        raise ValueError(f"{text!r}: the effect of a taint is one of {', '.join(_EFFECTS)}")
    key, _, value = left.partition("=")
    check_key(key)
    check_value(value)
    return Taint(key, value, effect)


class _Reader:
    """Plain values on their way to a policy; what is wrong is told with its place."""

    def __init__(self, text: str, path: str, causes: Collection[str]) -> None:
        self.text, self.path, self.causes = text, path, causes

    def policy(self, value: object) -> Policy:
        """The whole."""
        found = self._map(value, ("apiVersion", "kind", "virtualPools", "daemonsets"), ())
        for field, wanted in (("apiVersion", API_VERSION), ("kind", KIND)):
            if found.get(field, wanted) != wanted:
                self._refuse(f"must be {wanted}", (field,))
        return Policy(
            self.path,
            tuple(self._rule(one, at) for one, at in self._list(found, "daemonsets", ())),
            tuple(self._pool(one, at) for one, at in self._list(found, "virtualPools", ())),
        )

    def _pool(self, value: object, at: _Steps) -> Pool:
        found = self._map(value, ("nodes", "reason"), at)
        selector = self._selector(found, "nodes", at)
        if selector is None or not selector.requirements:
            self._refuse("needs nodes, a label selector", at)
        return Pool(selector, self._string(found, "reason", at), self._place(at))

    def _rule(self, value: object, at: _Steps) -> Rule:
        found = self._map(value, ("name", "selector", "expect", "accept"), at)
        name = self._string(found, "name", at)
        selector = self._selector(found, "selector", at)
        if not name and (selector is None or not selector.requirements):
            self._refuse("needs a name (namespace/name) or a selector of DaemonSets", at)
        accept = tuple(self._exclusion(one, here) for one, here in self._list(found, "accept", at))
        return Rule(name, selector, self._selector(found, "expect", at), accept, self._place(at))

    def _exclusion(self, value: object, at: _Steps) -> Exclusion:
        found = self._map(value, ("nodes", "names", "cause", "taint", "reason", "until"), at)
        names = tuple(self._word(one, here) for one, here in self._list(found, "names", at))
        selector, cause = self._selector(found, "nodes", at), self._string(found, "cause", at)
        taint = self._parsed(found, "taint", at, read_taint)
        if selector is None and not names and not cause and taint is None:
            self._refuse("accepts nothing: name nodes, names, a cause or a taint", at)
        if cause and cause not in self.causes:
            near = get_close_matches(cause, self.causes, 1)
            hint = f"did you mean {near[0]}?" if near else "`kubectl dscov explain` lists all"
            self._refuse(f"{cause!r} is no cause; {hint}", (*at, "cause"))
        reason = self._string(found, "reason", at)
        if not reason.strip():
            self._refuse("needs a reason: why is the gap accepted?", at)
        until = self._parsed(found, "until", at, read_until)
        return Exclusion(
            reason, selector, names, cause, taint, until, self._string(found, "until", at), self._place(at)
        )

    def _selector(self, found: Mapping[str, Any], field: str, at: _Steps) -> Selector | None:
        """A selector, `all` being the one without requirements; None where the field is not there."""

        def read(text: str) -> Selector:
            if text.strip() == ALL and field != "selector":
                return Selector()
            selector = parse_selector(text)
            if not selector.requirements:
                raise ValueError("a selector must not be empty")
            return selector

        selector: Selector | None = self._parsed(found, field, at, read)
        return selector

    def _parsed(self, found: Mapping[str, Any], field: str, at: _Steps, read: Any) -> Any:
        if found.get(field) is None:
            return None
        text = self._string(found, field, at)
        try:
            return read(text)
        except ValueError as problem:
            self._refuse(str(problem), (*at, field))

    def _string(self, found: Mapping[str, Any], field: str, at: _Steps) -> str:
        return "" if found.get(field) is None else self._word(found[field], (*at, field))

    def _word(self, value: object, at: _Steps) -> str:
        if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
            self._refuse("must be a text", at)
        return str(value)

    def _list(self, found: Mapping[str, Any], field: str, at: _Steps) -> Sequence[tuple[object, _Steps]]:
        value = found.get(field)
        if value is not None and not isinstance(value, list):
            self._refuse("must be a list", (*at, field))
        return [(one, (*at, field, place)) for place, one in enumerate(value or ())]

    def _map(self, value: object, fields: Sequence[str], at: _Steps) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self._refuse(f"must be a map with {', '.join(fields)}", at)
        for key in value:
            if key not in fields:
                self._refuse(f"no such field; there are {', '.join(fields)}", (*at, key))
        return value

    def _place(self, at: _Steps) -> str:
        return f"{self.path}: {_spelt(at)}"

    def _refuse(self, problem: str, at: _Steps) -> NoReturn:
        field = f"{_spelt(at)}: " if at else ""
        raise BadInput(f"{field}{problem}", path=self.path, line=_line(self.text, at)) from None


def _spelt(at: _Steps) -> str:
    """A path as people write it: `daemonsets[0].accept[1].until`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in at).removeprefix(".")


def _line(text: str, at: _Steps) -> int | None:
    """The line in which the value at a path begins, or the last of its parents that is there."""
    from dscov.yamltext.document import read

    try:
        document = read(text.removeprefix("\ufeff"))
    except BadInput:
        return None
    node = document.roots[0] if document.roots else None
    found = node
    for step in at:
        items = node.items if node is not None and node.kind == "list" and isinstance(step, int) else []
        node = items[int(step)] if items else node.get(step) if node is not None and isinstance(step, str) else None
        if node is None:
            break
        found = node
    return None if found is None else document.place(found.start)[0]
