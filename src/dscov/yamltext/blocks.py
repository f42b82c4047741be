"""A quick reader for the YAML that programs write: block collections of short scalars, as `kubectl get -o yaml` prints.

It goes a line at a time and gives up (`UnusualError`) on all it is not sure of; then the real parser reads the
document. What it does accept means the same to both: the tests hold the two against each other.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, NoReturn, TypeAlias

from dscov.patterns import pattern
from dscov.yamltext.scalars import ScalarError, key_text, plain_value

#: A mapping or a sequence that is being filled, and anything in it.
Collection: TypeAlias = Any
Value: TypeAlias = Any

#: A line: indentation, the dashes of sequences, a key, and what follows it, which is told apart by its first sign.
LINE = pattern(
    r"""([ ]*)
        ((?:-[ ]+(?=[^\s\#]))*)
        (?:(?:([A-Za-z0-9_./$(~](?:[^\s:\#]|:(?=[^\s]))*)
             |"([^"\\]*)"
             |'([^']*)'
           )[ ]*:(?=[ ]|$)
        )?
        [ ]*(.*)""",
    re.VERBOSE,
)
DOUBLE = pattern(r'"((?:[^"\\]|\\["\\/bfnrtu \n])*)" *(?: #[^\n]*)?$', re.MULTILINE)
SINGLE = pattern(r"'((?:[^']|'')*)' *(?: #[^\n]*)?$", re.MULTILINE)
#: Inside quotes: a line break with the blanks around it, and further ones, each of which is kept.
FOLD = pattern(r" *\n((?: *\n)*) *")
LITERAL = pattern(r"\|([+-]?) *")
BLANKS = pattern(r"((?: *\n)*)( +)[^ \t\n]")
#: What the real parser must judge: controls, halves of characters, line breaks of other alphabets.
STRANGE = pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
INDICATORS = frozenset("!&*{}[]|>%@`'\"#,?:-")
#: Lines repeat, so they are taken apart once; so many are remembered.
REMEMBERED = 50_000

NOTHING, WORDS, SCALAR, EMPTY, OPEN = range(5)


class UnusualError(Exception):
    """The text may be YAML, but is not of the kind that is read here."""


def read_block(text: str) -> object:
    """The value of one document without its `---`: a mapping, a sequence, or None without any. Raises UnusualError."""
    if STRANGE.search(text):
        raise UnusualError
    return _Reader(text).read()


class _Line(NamedTuple):
    """A line taken apart: `column` is where its key or scalar begins, `kind` tells what follows, `value` what it holds.

    The value is that of WORDS (a scalar without quotes) and SCALAR, the class of an EMPTY collection, else the text.
    """

    dashes: tuple[int, ...]
    key: str | None
    column: int
    kind: int
    value: Value
    rest: str


class _Reader:
    """One document. `levels` are the open collections with the columns their entries begin at.

    While `waiting`, the next value goes to `holder[key]`, and what it holds stands further right than `edge`. A scalar
    without quotes stays in `words` while lines further right may go on with it, after so many `blanks`.
    """

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.root: list[Value] = [None]
        self.levels: list[tuple[int, Collection]] = [(-1, self.root)]
        self.holder: Collection = self.root
        self.key: Any = 0
        self.edge, self.waiting = -1, True
        self.words, self.blanks = "", 0
        self.known: dict[str, _Line] = {}

    def read(self) -> object:
        """The document's value."""
        text, end = self.text, len(self.text)
        while self.position < end:
            stop = text.find("\n", self.position)
            line = text[self.position : stop if stop >= 0 else end]
            self.position += len(line) + 1
            self._take(self.known.get(line) or self._taken_apart(line))
        return self.root[0]

    def _taken_apart(self, line: str) -> _Line:
        """A line that is new, by LINE."""
        match = LINE.fullmatch(line)
        if match is None:
            unusual()
        indent, dashes, plain, double, single, rest = match.groups()
        columns = tuple(len(indent) + offset for offset, sign in enumerate(dashes) if sign == "-")
        key = _plain_key(plain) if plain is not None else double if double is not None else single
        kind, value = _followed_by(rest) if columns or key is not None else (NOTHING, None)
        if len(self.known) > REMEMBERED:
            self.known.clear()
        found = self.known[line] = _Line(columns, key, len(indent) + len(dashes), kind, value, rest)
        return found

    def _take(self, line: _Line) -> None:
        """Put a line where it belongs."""
        dashes, key, column, kind, value, rest = line
        if key is None and not dashes:
            self._without_key(column, rest)
            return
        for dash in dashes:
            self._item(dash)
        if key is not None:
            top, entries = self.levels[-1]
            if top != column or entries.__class__ is not dict:
                entries = self._mapping(column)
            entries[key] = None
            self.holder, self.key, self.edge, self.waiting = entries, key, column, True
        self.words, self.blanks = rest if kind == WORDS else "", 0
        if kind == NOTHING:
            return
        if not self.waiting:
            unusual()
        self.holder[self.key] = value if kind <= SCALAR else value() if kind == EMPTY else self._open(rest)
        self.waiting = False

    def _without_key(self, column: int, rest: str) -> None:
        """A line that is blank, a comment, a dash alone, or more words of a scalar without quotes."""
        if not rest:
            self.blanks += 1
        elif rest[0] == "#":
            self.words = ""
        elif self.words and column > self.edge:
            self.words = self.words.rstrip(" ") + ("\n" * self.blanks or " ") + rest
            self.holder[self.key], self.blanks = _words(self.words), 0
        elif rest.rstrip(" ") == "-":
            self.words = ""
            self._item(column)
        else:
            unusual()

    def _item(self, column: int) -> None:
        """Begin an item of the sequence at `column`, which may stand right under the key it belongs to."""
        self._close_beyond(column)
        top, items = self.levels[-1]
        if top != column or not isinstance(items, list):
            items = self._begin([], column)
        items.append(None)
        self.holder, self.key, self.edge, self.waiting = items, len(items) - 1, column, True

    def _mapping(self, column: int) -> Collection:
        """The mapping at `column`, what stands further right being closed: one that is open, or a new one."""
        self._close_beyond(column)
        if self.levels[-1][0] == column and isinstance(self.levels[-1][1], list):
            self.levels.pop()
            self.waiting = False
        top, entries = self.levels[-1]
        return entries if top == column else self._begin({}, column)

    def _close_beyond(self, column: int) -> None:
        """Close the collections that stand further right."""
        while self.levels[-1][0] > column:
            self.levels.pop()
            self.waiting = False

    def _begin(self, collection: Collection, column: int) -> Collection:
        """Open a collection at the place that waits for a value; a mapping's sequence may stand at its own column."""
        under = column > self.edge or (
            column == self.edge and isinstance(collection, list) and isinstance(self.holder, dict)
        )
        if not self.waiting or not under:
            unusual()
        self.holder[self.key] = collection
        self.levels.append((column, collection))
        self.waiting = False
        return collection

    def _open(self, rest: str) -> str:
        """A scalar that goes on over lines; the first of them ends with `rest`, right before the position."""
        if rest[0] == "|":
            return self._literal(rest)
        begin = self.position - 1 - len(rest)
        match = (DOUBLE if rest[0] == '"' else SINGLE).match(self.text, begin)
        if match is None:
            unusual()
        self.position = match.end() + 1
        return _unquoted(_folded(match[1], rest[0], self.edge), rest[0])

    def _literal(self, rest: str) -> str:
        """The lines of a literal block: `|`, `|-` or `|+`."""
        header, begin = LITERAL.fullmatch(rest), BLANKS.match(self.text, self.position)
        if header is None or begin is None or not self.text.endswith("\n"):
            unusual()
        width = len(begin[2])
        if width <= self.edge or any(len(blank) > width for blank in begin[1].split("\n")):
            unusual()
        lines = pattern(f"(?: {{{width}}}[^\n]*\n| *\n)+").match(self.text, self.position)
        after = lines and pattern(" *").match(self.text, lines.end())
        if lines is None or after is None or (after.end() < len(self.text) and len(after[0]) > max(self.edge, 0)):
            unusual()
        self.position = lines.end()
        body = re.sub(f"(?m)^ {{1,{width}}}", "", lines[0])
        kept = body.rstrip("\n")
        return body if header[1] == "+" else kept if header[1] == "-" or not kept else kept + "\n"


def _followed_by(rest: str) -> tuple[int, Value]:
    """What the rest of a line is, and its value as far as the line alone tells."""
    sign = rest[:1]
    if sign in {"", "#"}:
        return NOTHING, None
    if sign in {'"', "'"}:
        match = (DOUBLE if sign == '"' else SINGLE).fullmatch(rest)
        return (SCALAR, _unquoted(match[1], sign)) if match and "\t" not in rest else (OPEN, None)
    if sign not in INDICATORS or (sign in "-?:" and rest[1:2].strip()):
        bare, comment, _ = rest.partition(" #")
        return SCALAR if comment else WORDS, _words(bare)
    kinds: dict[str, tuple[int, Value]] = {"{}": (EMPTY, dict), "[]": (EMPTY, list)}
    if sign != "|" and rest.rstrip(" ") not in kinds:
        unusual()
    return kinds.get(rest.rstrip(" "), (OPEN, None))


def _words(text: str) -> Value:
    """A scalar without quotes."""
    text = text.rstrip(" ")
    if ": " in text or " #" in text or "\t" in text or text.endswith(":"):
        unusual()
    try:
        return plain_value(text)
    except ScalarError:
        unusual()


def _plain_key(text: str) -> str:
    """A key without quotes."""
    try:
        return key_text(plain_value(text))
    except ScalarError:
        unusual()


def _folded(text: str, sign: str, edge: int) -> str:
    """The inside of a quoted scalar with its lines joined: one break becomes a space, of several all but one stay."""
    _, *lines = text.split("\n")
    between = [line for line in lines[:-1] if line.strip(" ")] + lines[-1:]
    if "\t" in text or not all(line.startswith(" " * (edge + 1)) for line in between):
        unusual()
    if sign == '"':
        if re.search(r"\\ +\n|\\\n *\n", text):
            unusual()
        text = re.sub(r"(?<!\\)((?:\\\\)*)\\\n *", r"\1", text)
    return FOLD.sub(lambda match: "\n" * match[1].count("\n") or " ", text)


def _unquoted(text: str, sign: str) -> str:
    """What stands between quotes; escapes must be those of JSON or an escaped space."""
    if sign == "'":
        return text.replace("''", "'")
    if "\\" not in text:
        return text
    plain = re.sub(r"\\(.)", lambda match: " " if match[1] == " " else match[0], text).replace("\n", "\\n")
    try:
        value: str = json.loads(f'"{plain}"')
        value.encode()
    except ValueError:
        unusual()
    return value


def unusual() -> NoReturn:
    """Leave the document to the other reader."""
    raise UnusualError
