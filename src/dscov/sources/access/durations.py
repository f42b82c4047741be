"""Go's durations, as `--request-timeout` takes them."""

from __future__ import annotations

import re

from dscov.errors import BadAccess

UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
PART = r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)"


def request_timeout(text: str) -> float | None:
    """Seconds of a bare number of seconds or a Go duration ("90s", "1m30s"); zero and nothing mean None, no limit.

    Raises BadAccess on anything else, and on negative durations, under which no request could ever succeed.
    """
    if not text:
        return None
    if re.fullmatch(r"\+?[0-9]{1,18}", text, re.ASCII):
        return float(text) or None
    if not re.fullmatch(rf"\+?(?:{PART})+", text):
        raise BadAccess(
            f"--request-timeout {text!r} is neither a number of seconds nor a duration such as 30s or 1m30s"
        )
    return sum(float(number) * UNITS[unit] for number, unit in re.findall(PART, text)) or None
