"""The answer to kubectl: one choice a line, with its description after a tab, and last what the shell is to do.

At a prompt there is nobody to read an error: whatever goes wrong, the answer is that there is nothing to choose.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable
from typing import NoReturn

from kubectl_dscov.completing.choices import NO_FILES, Answer, Choice

#: What may stand in a choice. A shell puts it on the command line, where it must mean nothing but itself.
HARMLESS = re.compile(r"[\w./:@%+=,~-]+", re.ASCII)
#: So many choices are told: no prompt shows more, and kubectl reads them all.
MOST = 2000


def answer(words: list[str]) -> NoReturn:
    """Print the choices for the last of `words`, the words after `kubectl dscov`, and end the process at once.

    Standard error and input are closed to everything that is started from here, credential plugins above all.
    """
    with contextlib.suppress(OSError):
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 2)
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.write("".join(f"{line}\n" for line in lines(_found(words))))
        sys.stdout.flush()
    # A reading that takes too long is under way in a thread, and nobody waits for it.
    os._exit(0)


def lines(found: Answer) -> Iterable[str]:
    """The lines of an answer, without what could do harm: a name that holds a quote, a blank or a `$` is left out."""
    safe = (choice for choice in found.choices if HARMLESS.fullmatch(choice.text) and not _looks_like_a_flag(choice))
    for choice, _ in zip(safe, range(MOST)):  # noqa: B905 - the shorter one counts
        described = " ".join(choice.description.split())
        yield f"{choice.text}\t{described}" if described.isprintable() and described else choice.text
    yield f":{found.directive}"


def _looks_like_a_flag(choice: Choice) -> bool:
    return choice.text.startswith("-") and not choice.ours


def _found(words: list[str]) -> Answer:
    try:
        from kubectl_dscov.completing.choices import choices

        return choices(words or [""])
    except Exception:  # noqa: BLE001 - the last stop: at a prompt nothing may be said of it
        return Answer((), NO_FILES)
