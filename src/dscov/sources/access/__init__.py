"""Getting at a cluster exactly as kubectl does: `resolve` flags and files, open a `transport.Transport`."""

from dscov.sources.access.model import Access, Overrides
from dscov.sources.access.resolve import resolve

__all__ = ["Access", "Overrides", "resolve"]
