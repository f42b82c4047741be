"""What may stand where the cursor is: a verb, a flag, the value of a flag, or what the verb is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import click

#: The directives of cobra: let the shell complete files, put no blank behind the choice, do not complete files.
FILES, NO_BLANK, NO_FILES = 0, 2, 4


class Choice(NamedTuple):
    """One choice; `ours` says that it comes from this program, not from a cluster or a file."""

    text: str
    description: str = ""
    ours: bool = False


class Answer(NamedTuple):
    """The choices, and the sum of the directives."""

    choices: tuple[Choice, ...]
    directive: int


def choices(words: Sequence[str]) -> Answer:
    """The answer for the last of `words`, the words after `kubectl dscov`."""
    from kubectl_dscov.cli import COMMANDS, cli

    *before, last = words
    verb = next((at for at, word in enumerate(before) if not word.startswith("-")), None)
    if verb is None:
        verbs = [Choice(name, text, ours=True) for name, (_, text) in COMMANDS.items()]
        flags = [Choice(flag, ours=True) for flag in ("--help", "--version")]
        return _beginning(flags if last.startswith("-") else verbs, last)
    import click

    command = cli.get_command(click.Context(cli), before[verb])
    return _of_command(command, before[verb], before[verb + 1 :], last) if command else Answer((), NO_FILES)


def _of_command(command: click.Command, verb: str, before: Sequence[str], last: str) -> Answer:
    """The answer within a verb."""
    from kubectl_dscov.completing.values import Line, of_argument, of_option

    line = Line(verb, command, tuple(before))
    options = _by_flag(command)
    asking = options.get(before[-1]) if before and "--" not in before[:-1] else None
    if asking and not asking.is_flag and not isinstance(asking.flag_value, str):
        return of_option(line, asking, last)
    if "--" in before or not last.startswith("-"):
        return of_argument(line, last)
    flag, equals, value = last.partition("=")
    if equals:
        return of_option(line, options[flag], value) if flag in options else Answer((), NO_FILES)
    return _beginning(_flags(command, before, last), last)


def _by_flag(command: click.Command) -> dict[str, click.Option]:
    """Every way to write a flag, and its option."""
    import click

    return {flag: option for option in command.params if isinstance(option, click.Option) for flag in option.opts}


def _flags(command: click.Command, before: Sequence[str], last: str) -> Iterable[Choice]:
    """The flags that can still be given; those that --help does not show only to whoever begins to type one."""
    import click

    for option in command.params:
        if not isinstance(option, click.Option) or (set(option.opts) & set(before) and not option.multiple):
            continue
        long = max(option.opts, key=len)
        if not option.hidden or (len(last) > 2 and long.startswith(last)):
            yield Choice(long, (option.help or "").partition("  [")[0], ours=True)
    yield Choice("--help", "Show this message and exit.", ours=True)


def _beginning(found: Iterable[Choice], last: str, directive: int = NO_FILES) -> Answer:
    """Of the choices those that begin so."""
    return Answer(tuple(choice for choice in found if choice.text.startswith(last)), directive)
