"""One file per cause; the registry finds them by scanning this folder.

A module here defines `CAUSE` and nothing that another cause uses. Its docstring is the cause's page.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from dscov.model.causes import Cause


@cache
def registry() -> tuple[Cause, ...]:
    """Every cause, in the order of their codes."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted((import_module(f"{__name__}.{name}").CAUSE for name in names), key=lambda cause: cause.code))


def cause_slugs() -> tuple[str, ...]:
    """The slug of every cause, from the names of the files alone: nothing is imported."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


@cache
def _by_slug() -> dict[str, Cause]:
    return {cause.slug: cause for cause in registry()}


def cause_of(slug: str) -> Cause:
    """The cause of a slug; KeyError where there is none."""
    return _by_slug()[slug]


def page(cause: Cause) -> str:
    """The text that a cause's file opens with."""
    return import_module(f"{__name__}.{cause.slug.replace('-', '_')}").__doc__ or ""
