"""The yes/no question and the choice from a list: the only reader of standard input; and what is said of what was done."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence

import click

from dscov.errors import DscovError, Refused
from kubectl_dscov.render.ink import plain


class Declined(Refused):
    """Somebody was asked, and said no."""


def can_ask() -> bool:
    """Whether a person can answer: both ends are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def agree(question: str, *, yes: bool, remedy: str, to: str = "") -> None:
    """Go on only where somebody says yes to `question`, or has said so before (`yes`); no is the default.

    `to` names what nothing was written to otherwise, where it is one of several.

    Raises Refused where nobody can be asked, with the remedy for that, and Declined where the answer is no.
    """
    if yes:
        return
    if not can_ask():
        raise Refused("not a terminal, so nobody can be asked; nothing was written", remedy=remedy)
    if not click.confirm(question, default=False, err=True):
        raise Declined(f"declined; nothing was written{' to ' if to else ''}{to}")


def chosen(question: str, choices: Sequence[str]) -> int:
    """The number (from 0) of the choice that is picked."""
    for number, choice in enumerate(choices, 1):
        click.echo(f"  {number}) {plain(choice)}", err=True)
    answer: int = click.prompt(question, type=click.IntRange(1, len(choices)), err=True)
    return answer - 1


def tell(text: str) -> None:
    """Say what was done; that nobody listens any more must not turn it into a failure."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True)


def tell_error(error: DscovError) -> None:
    """An error, and the remedy of a refusal."""
    tell(f"error: {plain(str(error))}")
    if isinstance(error, Refused) and error.remedy:
        tell("\n".join(map(plain, error.remedy.splitlines())))
