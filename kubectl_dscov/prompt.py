"""The yes/no question and the choice from a list: the only reader of standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from kubectl_dscov.render.ink import plain


def can_ask() -> bool:
    """Whether a person can answer: both ends are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirmed(question: str) -> bool:
    """Whether the answer to `question` is yes; no is the default."""
    return click.confirm(question, default=False, err=True)


def chosen(question: str, choices: Sequence[str]) -> int:
    """The number (from 0) of the choice that is picked."""
    for number, choice in enumerate(choices, 1):
        click.echo(f"  {number}) {plain(choice)}", err=True)
    answer: int = click.prompt(question, type=click.IntRange(1, len(choices)), err=True)
    return answer - 1
