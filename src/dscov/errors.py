"""Everything that can go wrong, as one tree of errors that carry data.

DscovError
├── BadInput          a file or a text that is not what it should be: says where
├── NotFound          an object that was named is not in what was read
├── CouldNotLook      the cluster or a file could not be read at all
│   └── BadAccess     kubeconfig, credentials or flags do not lead to a cluster
├── Refused           a change that would be unsafe; nothing was written
│   └── Stale         what the change was planned for is not what is there now
└── NotVerified       a change that was made, or may have been, and was not seen to do what it promised
"""

from __future__ import annotations


class DscovError(Exception):
    """The root: `str(error)` is one line for a person, without a final full stop."""


class BadInput(DscovError):
    """Input that cannot be used; `place` names file, line and column as far as they are known."""

    def __init__(self, problem: str, *, path: str = "", line: int | None = None, column: int | None = None) -> None:
        self.problem, self.path, self.line, self.column = problem, path, line, column
        super().__init__(f"{self.place}: {problem}" if self.place else problem)

    @property
    def place(self) -> str:
        """`path:line:column`, without the parts that are not known."""
        return ":".join(str(part) for part in (self.path, self.line, self.column) if part not in {"", None})


class NotFound(DscovError):
    """An object that the user named does not exist where we looked."""


class CouldNotLook(DscovError):
    """Nothing could be read: the answer is not known, which is not the same as nothing being there."""


class BadAccess(CouldNotLook):
    """The kubeconfig, the credentials or the connection flags do not lead to a cluster."""


class Refused(DscovError):
    """A change that is unsafe to make; nothing was written. `remedy` says what to do by hand."""

    def __init__(self, reason: str, *, remedy: str = "") -> None:
        self.reason, self.remedy = reason, remedy
        super().__init__(reason)


class Stale(Refused):
    """The object is not what the change was planned for: changed, made anew, or gone. Nothing was written."""


class NotVerified(DscovError):
    """A change was made, or may have been made, and it was not seen to do what it promised."""
