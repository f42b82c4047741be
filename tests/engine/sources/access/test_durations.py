"""--request-timeout takes what kubectl takes, but no negative durations."""

import pytest

from dscov.errors import BadAccess
from dscov.sources.access.durations import request_timeout


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("", None), ("0", None), ("0s", None), ("00", None), ("5", 5), ("5s", 5), ("1m30s", 90), ("1.5h", 5400), (".5s", 0.5),
        ("1h2m3s4ms", 3723.004), ("300ms", 0.3), ("2us", 2e-6), ("2µs", 2e-6), ("7ns", 7e-9), ("+3s", 3), ("1.s", 1), ("90m", 5400),
    ],
)  # fmt: skip
def test_taken(text, seconds):
    assert request_timeout(text) == (seconds if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize("text", ["-1", "-1s", "s", "1x", "1 s", "1.5", "1s ", "٣", "1d", ".s", "1e3s", "nan", "inf"])
def test_refused(text):
    with pytest.raises(BadAccess, match="--request-timeout"):
        request_timeout(text)
