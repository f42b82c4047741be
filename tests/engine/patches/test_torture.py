"""Files of every kind that people keep, by the handwriting that an append has to follow, and those that must be left alone."""

from __future__ import annotations

import pytest

from tests_surgeon import assert_patched, assert_refused, manifest  # noqa: F401
