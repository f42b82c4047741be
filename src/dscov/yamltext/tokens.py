"""The one door to ruamel.yaml: a text becomes parser events and token positions, by the rules of kubectl's reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.parser import Parser
from ruamel.yaml.reader import Reader
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scanner import Scanner, ScannerError

from dscov.errors import BadInput

# ruamel.yaml answers some hostile texts with a bare Python error instead of its own.
_READER_ERRORS = (
    YAMLError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)
#: What ruamel.yaml hands over: an event, a token, a mark.
Raw = Any
_BREAKS = "\r\n\x85\u2028\u2029"


class Token(NamedTuple):
    """One token of the text: its kind as ruamel.yaml names it, and its span in characters."""

    start: int
    end: int
    kind: str


class _KubectlScanner(Scanner):
    """A scanner that takes tabs where libyaml (and so kubectl) takes them: between tokens, never as indentation."""

    seen: list[Token]

    def get_token(self) -> Raw:
        token = super().get_token()
        if token is not None:
            self.seen.append(Token(token.start_mark.index, token.end_mark.index, type(token).__name__))
        return token

    def scan_to_next_token(self) -> None:
        peek, forward = self.reader.peek, self.reader.forward
        while True:
            while peek() == " " or (peek() == "\t" and (self.flow_level or not self.allow_simple_key)):
                forward()
            if peek() == "#":
                while peek() not in "\0" + _BREAKS:
                    forward()
            if not self.scan_line_break():
                return
            if not self.flow_level:
                self.allow_simple_key = True

    def scan_plain_spaces(self, indent: Raw, start_mark: Raw) -> list[str] | None:
        blanks = self._take(" \t")
        if self.reader.peek() not in _BREAKS:
            return [blanks] if blanks else []
        first = self.scan_line_break()
        self.allow_simple_key = True
        more: list[str] = []
        while not self._at_document_marker():
            while self.reader.peek() in " \t":
                if self.reader.peek() == "\t" and self.reader.column < indent and not self.flow_level:
                    problem = "found a tab character that violates indentation"
                    raise ScannerError("while scanning a plain scalar", start_mark, problem, self.reader.get_mark())
                self.reader.forward()
            if self.reader.peek() not in _BREAKS:
                break
            more.append(self.scan_line_break())
        else:
            return None
        return ([first] if first != "\n" else [] if more else [" "]) + more

    def scan_block_scalar_indicators(self, start_mark: Raw) -> tuple[bool | None, int | None]:
        marks = self._take("+-0123456789")
        if not re.fullmatch("[-+]?[1-9]?|[1-9][-+]", marks) or self.reader.peek() not in "\0 \t" + _BREAKS:
            problem = "expected chomping or indentation indicators"
            raise ScannerError("while scanning a block scalar", start_mark, problem, self.reader.get_mark())
        digit = marks.strip("-+")
        return {"+": True, "-": False, "": None}[marks.strip("123456789")], int(digit) if digit else None

    def scan_block_scalar_ignored_line(self, start_mark: Raw) -> Raw:
        self._take(" \t")
        return super().scan_block_scalar_ignored_line(start_mark)

    def _take(self, wanted: str) -> str:
        taken = ""
        while self.reader.peek() in wanted:
            taken += self.reader.peek()
            self.reader.forward()
        return taken

    def _at_document_marker(self) -> bool:
        return bool(self.check_document_start() or self.check_document_end())


class _Loader(Reader, _KubectlScanner, Parser, VersionedResolver):
    """The parts of ruamel.yaml that lead from text to events; nothing is ever constructed."""

    def __init__(self, text: str) -> None:
        self.comment_handling = None
        # Where the scanner notes the version of a %YAML directive.
        self.doc_infos = [SimpleNamespace(doc_version=None, tags=[])]
        self.seen = []
        Reader.__init__(self, text, loader=self)
        _KubectlScanner.__init__(self, loader=self)
        Parser.__init__(self, loader=self)
        VersionedResolver.__init__(self, None, loader=self)


def events(text: str, *, path: str = "") -> tuple[list[Any], list[Token]]:
    """The parser events of `text` and its tokens by position, or BadInput with the place (counted from 1)."""
    try:
        loader = _Loader(text)
        return list(_drain(loader)), loader.seen
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = str(error.problem or error.context or "not YAML")
        line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
        raise BadInput(f"not YAML: {problem}", path=path, line=line, column=column) from error
    except _READER_ERRORS as error:
        problem = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadInput(f"not YAML: {problem}", path=path) from error


def _drain(loader: _Loader) -> Iterator[Any]:
    while loader.check_event():
        yield loader.get_event()
