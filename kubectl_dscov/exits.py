"""The table of exit codes: what a script may rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dscov.errors import DscovError, NotFound, NotVerified, Refused

if TYPE_CHECKING:
    from dscov import Diagnosis

OK = 0
GAPS = 1
USAGE = 2
COULD_NOT_LOOK = 3
REFUSED = 4
NOT_VERIFIED = 5
INTERRUPTED = 130


def code_for(error: DscovError) -> int:
    """The exit code of an error: 2 what was named is not there, 4 refused, 5 not verified, else 3 could not look."""
    match error:
        case NotFound():
            return USAGE
        case Refused():
            return REFUSED
        case NotVerified():
            return NOT_VERIFIED
        case _:
            return COULD_NOT_LOOK


def of_report(diagnosis: Diagnosis) -> int:
    """The exit code of a report: 3 where pairs could not be judged, 1 where there are gaps or unwanted placements."""
    if any(missing.blinds for missing in diagnosis.not_seen):
        return COULD_NOT_LOOK
    return GAPS if diagnosis.summary.gaps or diagnosis.summary.unwanted else OK
