"""The proof of an edit: read both texts again and compare meanings; nothing that fails it is ever written."""

from __future__ import annotations

from collections.abc import Sequence

from dscov.errors import BadInput, Refused
from dscov.yamltext.document import read
from dscov.yamltext.meaning import Data, Operation, applied, meaning

_BY_HAND = "Nothing was written. Make this change by hand; the file is laid out in a way this program does not know."


def prove(old: str, new: str, changes: Sequence[tuple[int, Operation]], *, path: str) -> None:
    """Refuse unless `new` means what `old` means with `changes` done, each in the document of that number."""
    expected = [meaning(root) for root in read(old, path=path).roots]
    try:
        for number, operation in changes:
            expected[number] = applied(expected[number], operation)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise Refused(f"{path}: the plan does not fit what the file means", remedy=_BY_HAND) from error
    try:
        found = [meaning(root) for root in read(new, path=path).roots]
    except BadInput as error:
        raise Refused(f"{path}: the edited text could not be read again ({error.problem})", remedy=_BY_HAND) from error
    if difference := differs(expected, found):
        raise Refused(f"{path}: the edited text would not mean what was planned: {difference}", remedy=_BY_HAND)


def differs(expected: Data, found: Data) -> str:
    """The first difference between two meanings, types told apart; empty where there is none."""
    if repr(expected) == repr(found):
        return ""
    from deepdiff import DeepDiff

    difference = DeepDiff(expected, found, ignore_order=False, verbose_level=1)
    for kind, places in difference.items():
        return f"{kind} at {next(iter(places), 'the root')}"
    return ""
