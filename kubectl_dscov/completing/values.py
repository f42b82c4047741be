"""What a flag or an argument takes: from the command line, the kubeconfig, the causes, or the cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from kubectl_dscov.completing import kept
from kubectl_dscov.completing.choices import FILES, NO_BLANK, NO_FILES, Answer, Choice
from kubectl_dscov.connection import overrides_from

if TYPE_CHECKING:
    from dscov import Overrides

NOTHING = Answer((), NO_FILES)
#: Flags whose value is a file or a folder, by the placeholder that --help shows.
PATHS = {"FILE", "DIR", "PATH"}
#: Flags that take the name of something, by the name of their value.
NAMED = {"namespace": "namespaces", "context": "contexts", "cluster": "clusters", "user": "users"}
SHELLS = ("install", "uninstall", "bash", "zsh", "fish", "powershell")
#: What a verb is about, by the kinds that may stand before a slash.
ABOUT = {"diagnose": ("daemonset", "node"), "explain": ("daemonset", "node")}
KINDS = {
    **dict.fromkeys(("daemonset", "daemonsets", "ds", "daemonset.apps", "daemonsets.apps"), "daemonsets"),
    **dict.fromkeys(("node", "nodes", "no"), "nodes"),
}


class Line:
    """The command line up to the cursor: its verb, and what its flags say of the way to a cluster."""

    def __init__(self, verb: str, command: click.Command, before: tuple[str, ...]) -> None:
        self.verb, self.command, self.before = verb, command, before

    @cached_property
    def given(self) -> Mapping[str, Any]:
        """The values of the flags that can be read so far."""
        context = self.command.make_context(self.verb, list(self.before), resilient_parsing=True)
        return context.params

    @cached_property
    def overrides(self) -> Overrides:
        """What the flags say of the way to a cluster."""
        return overrides_from({name: value for name, value in self.given.items() if value not in {(), None}})

    def names(self, kind: str) -> tuple[str, ...]:
        """The names of a kind, in the namespace that the line leads to; none where they cannot be had quickly."""
        if kind in {"contexts", "clusters", "users"}:
            return _of_kubeconfig(self.overrides.kubeconfig)[kind]
        return kept.names(kind, self.overrides, os.environ, read=self._read)

    def _read(self, kind: str) -> tuple[str, ...]:
        import msgspec

        import dscov

        access = dscov.resolve(self.overrides, os.environ)
        quick = msgspec.structs.replace(access, timeout=min(access.timeout or kept.PATIENCE, kept.PATIENCE))
        return dscov.list_names(quick, kind, namespace="" if access.all_namespaces else access.namespace)


def of_option(line: Line, option: click.Option, last: str) -> Answer:
    """The answer for the value of a flag."""
    if isinstance(option.type, click.Choice):
        return _plain(option.type.choices, last)
    if option.name in NAMED:
        return _named(line.names(NAMED[option.name]), last)
    if option.name == "cause":
        return _plain(_causes(), last)
    if option.name == "nodes" and option.multiple:
        return _with_kind(line, last, ("node",))
    return Answer((), FILES) if option.metavar in PATHS else NOTHING


def of_argument(line: Line, last: str) -> Answer:
    """The answer for what a verb is about."""
    if line.verb == "completion":
        return NOTHING if any(word in SHELLS for word in line.before) else _plain(SHELLS, last)
    if not any(isinstance(param, click.Argument) for param in line.command.params):
        return NOTHING
    found = _with_kind(line, last, ABOUT.get(line.verb, ("daemonset",)))
    if line.verb != "explain" or "/" in last:
        return found
    # A blank goes behind a cause, none behind `daemonset/`.
    directive = found.directive if found.choices else NO_FILES
    return Answer((*found.choices, *_plain(_causes(), last).choices), directive)


def _with_kind(line: Line, last: str, kinds: tuple[str, ...]) -> Answer:
    """`KIND/NAME`: first the kinds, as kubectl does, then the names; a bare name where it begins no kind."""
    prefix, slash, _ = last.rpartition("/")
    if not slash:
        begun = tuple(Choice(f"{kind}/", ours=True) for kind in kinds if kind.startswith(last))
        bare = "daemonset" in kinds and not begun and line.verb != "explain"
        return _named(line.names("daemonsets"), last) if bare else Answer(begun, NO_BLANK | NO_FILES)
    kind = KINDS.get(prefix.lower(), "")
    if not kind or kind.removesuffix("s") not in kinds:
        return NOTHING
    return _named((f"{prefix}/{name}" for name in line.names(kind)), last)


def _of_kubeconfig(kubeconfig: str) -> dict[str, tuple[str, ...]]:
    import dscov

    return dscov.kubeconfig_names(kubeconfig, os.environ)


def _causes() -> Iterable[str]:
    import dscov

    return dscov.cause_slugs()


def _plain(texts: Iterable[object], last: str) -> Answer:
    return _told(texts, last, lambda text: Choice(text, ours=True))


def _named(texts: Iterable[object], last: str) -> Answer:
    return _told(texts, last, Choice)


def _told(texts: Iterable[object], last: str, choice: Callable[[str], Choice]) -> Answer:
    return Answer(tuple(choice(str(text)) for text in texts if str(text).startswith(last)), NO_FILES)
