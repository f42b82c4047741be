"""A quick reader for the YAML that programs write: block collections of one-line scalars, as `kubectl get -o yaml` prints.

It goes a line at a time and gives up (`Unusual`) on all it is not sure of; then the real parser reads the document. What
it does accept means the same to both: the tests hold the two against each other.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, NoReturn, TypeAlias

from dscov.yamltext.scalars import Unrepresentable, key_text, plain_value

#: A mapping or a sequence that is being filled, and anything in it.
Collection: TypeAlias = Any
Value: TypeAlias = Any

#: A line: indentation, the dashes of sequences, a key, and what follows it, which is told apart by its first sign.
LINE = re.compile(
    r"""([ ]*)
        ((?:-[ ]+(?=[^\s\#]))*)
        (?:(?:([A-Za-z0-9_./$(~](?:[^\s:\#]|:(?=[^\s]))*)
             |"([^"\\\n]*)"
             |'([^'\n]*)'
           )[ ]*:(?=[ ]|$)
        )?
        [ ]*([^\n]*)$""",
    re.VERBOSE | re.MULTILINE,
)
DOUBLE = re.compile(r'"((?:[^"\\]|\\["\\/bfnrtu \n])*)" *(?: #[^\n]*)?$', re.MULTILINE)
SINGLE = re.compile(r"'((?:[^']|'')*)' *(?: #[^\n]*)?$", re.MULTILINE)
#: Inside quotes: a line break with the blanks around it, and further ones, each of which is kept.
FOLD = re.compile(r" *\n((?: *\n)*) *")
LITERAL = re.compile(r"\|([+-]?) *")
BLANKS = re.compile(r"((?: *\n)*)( +)[^ \n]")
#: What the real parser must judge: controls, halves of characters, line breaks of other alphabets.
STRANGE = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
INDICATORS = frozenset("!&*{}[]|>%@`'\"#,?:-")


class Unusual(Exception):  # noqa: N818 - no error: the other reader takes over
    """The text may be YAML, but is not of the kind that is read here."""


def read_block(text: str) -> object:
    """The value of one document without its `---`: a mapping, a sequence, or None without any. Raises Unusual."""
    if STRANGE.search(text):
        raise Unusual
    return _Reader(text).read()


class _Level(NamedTuple):
    """An open collection, and the column at which its entries begin."""

    column: int
    value: Collection


class _Place(NamedTuple):
    """Where the next value goes: `holder[key]`, inside which everything stands to the right of `column`."""

    holder: Collection
    key: Any
    column: int


class _Reader:
    """One document. `levels` are the open collections, `place` belongs to the innermost, if it still waits for a value;
    `folding` is where the last line left a scalar without quotes, `words`, that lines further right may go on with.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.root: list[Value] = [None]
        self.levels: list[_Level] = []
        self.place: _Place | None = _Place(self.root, 0, -1)
        self.folding: _Place | None = None
        self.words = ""
        self.blanks = 0
        self.known: dict[str, Value] = {}
        self.keys: dict[str, str] = {}

    def read(self) -> object:
        """The document's value."""
        end = len(self.text)
        while self.position < end:
            match = LINE.match(self.text, self.position)
            if match is None:
                unusual()
            self.position = match.end() + 1
            self._line(*match.groups())
        return self.root[0]

    def _line(self, *parts: str | None) -> None:
        """Take in one line, by the groups of LINE."""
        indent, dashes, plain, double, single, rest = parts
        column = len(indent or "")
        key = plain if plain is not None else double if double is not None else single
        if key is None and not dashes:
            self._without_key(column, rest or "")
            return
        self.folding = None
        for sign in dashes or "":
            if sign == "-":
                self._item(column)
            column += 1
        if key is not None:
            self._entry(column, self._key(key) if plain is not None else key)
        if rest and rest[0] != "#":
            self._scalar(rest)

    def _without_key(self, column: int, rest: str) -> None:
        """A line that is blank, a comment, a dash alone, or more words of a scalar without quotes."""
        if not rest:
            self.blanks += 1
        elif rest[0] == "#":
            self.folding = None
        elif self.folding is not None and column > self.folding.column:
            self.place = self.folding
            self._scalar(self.words.rstrip(" ") + ("\n" * self.blanks or " ") + rest, more=True)
        elif rest.rstrip(" ") == "-":
            self.folding = None
            self._item(column)
        else:
            unusual()

    def _item(self, column: int) -> None:
        """Begin an item of the sequence at `column`, which may stand right under the key it belongs to."""
        self._close_beyond(column)
        if not self.levels or self.levels[-1].column != column or not isinstance(self.levels[-1].value, list):
            self._begin([], column)
        items = self.levels[-1].value
        items.append(None)
        self.place = _Place(items, len(items) - 1, column)

    def _entry(self, column: int, key: str) -> None:
        """Begin an entry of the mapping at `column`."""
        self._close_beyond(column)
        if self.levels and self.levels[-1].column == column and isinstance(self.levels[-1].value, list):
            self.levels.pop()
            self.place = None
        if not self.levels or self.levels[-1].column != column:
            self._begin({}, column)
        entries = self.levels[-1].value
        entries[key] = None
        self.place = _Place(entries, key, column)

    def _close_beyond(self, column: int) -> None:
        """Close the collections that stand further to the right."""
        while self.levels and self.levels[-1].column > column:
            self.levels.pop()
            self.place = None

    def _begin(self, collection: Collection, column: int) -> None:
        """Open a collection at the place that waits for a value; a mapping's sequence may stand at its own column."""
        place = self.place
        if place is None or column < place.column:
            unusual()
        if column == place.column and not (isinstance(collection, list) and isinstance(place.holder, dict)):
            unusual()
        place.holder[place.key] = collection
        self.levels.append(_Level(column, collection))
        self.place = None

    def _scalar(self, rest: str, *, more: bool = False) -> None:
        """Give the waiting place the scalar, or the empty collection, that the rest of the line is or begins."""
        place = self.place
        if place is None:
            unusual()
        sign = rest[0]
        if more or sign not in INDICATORS or (sign in "-?:" and rest[1:2].strip()):
            value = self._plain(rest)
            self.folding, self.words, self.blanks = place, rest, 0
        elif sign in {'"', "'"}:
            value = self._quoted(sign, self.position - 1 - len(rest), place.column)
        elif sign == "|":
            value = self._literal(rest, place.column)
        else:
            value = _empty(rest)
        place.holder[place.key] = value
        self.place = None

    def _plain(self, rest: str) -> Value:
        """A scalar without quotes; those that repeat are remembered."""
        try:
            return self.known[rest]
        except KeyError:
            pass
        if ": " in rest or " #" in rest or "\t" in rest or rest.rstrip(" ").endswith(":"):
            unusual()
        try:
            value = self.known[rest] = plain_value(rest.rstrip(" "))
        except Unrepresentable:
            unusual()
        return value

    def _key(self, plain: str) -> str:
        """The text of a key without quotes."""
        try:
            return self.keys[plain]
        except KeyError:
            pass
        try:
            key = self.keys[plain] = key_text(plain_value(plain))
        except Unrepresentable:
            unusual()
        return key

    def _quoted(self, sign: str, begin: int, column: int) -> str:
        """A scalar in quotes that begins at a position, and may go on over lines further right than `column`."""
        match = (DOUBLE if sign == '"' else SINGLE).match(self.text, begin)
        if match is None:
            unusual()
        self.position = match.end() + 1
        text = match[1]
        if "\n" in text or "\t" in text:
            text = _folded(text, column)
        if sign == "'":
            return text.replace("''", "'")
        return _unescaped(text) if "\\" in text else text

    def _literal(self, rest: str, column: int) -> str:
        """The lines of a literal block (`|`, `|-`, `|+`), which stand further right than `column`."""
        header, begin = LITERAL.fullmatch(rest), BLANKS.match(self.text, self.position)
        if header is None or begin is None or not self.text.endswith("\n"):
            unusual()
        width = len(begin[2])
        if width <= column or any(len(blank) > width for blank in begin[1].split("\n")):
            unusual()
        lines = re.compile(f"(?: {{{width}}}[^\n]*\n| *\n)+").match(self.text, self.position)
        after = lines and re.compile(" *").match(self.text, lines.end())
        if lines is None or after is None or (after.end() < len(self.text) and len(after[0]) > max(column, 0)):
            unusual()
        self.position = lines.end()
        body = re.sub(f"(?m)^ {{1,{width}}}", "", lines[0])
        kept = body.rstrip("\n")
        return body if header[1] == "+" else kept if header[1] == "-" or not kept else kept + "\n"


def _folded(text: str, column: int) -> str:
    """The inside of a quoted scalar with its line breaks folded: one becomes a space, of several all but the first stay."""
    rest = [line for line in text.split("\n")[1:-1] if line.strip(" ")] + text.split("\n")[-1:]
    if "\t" in text or re.search(r"\\ +\n", text) or not all(line.startswith(" " * (column + 1)) for line in rest):
        unusual()
    joined = re.sub(r"(?<!\\)((?:\\\\)*)\\\n *", r"\1", text)
    return FOLD.sub(lambda match: "\n" * match[1].count("\n") or " ", joined)


def _unescaped(text: str) -> str:
    """The inside of a double-quoted scalar, whose escapes must be those of JSON or an escaped space."""
    plain = re.sub(r"\\(.)", lambda match: " " if match[1] == " " else match[0], text).replace("\n", "\\n")
    try:
        value: str = json.loads(f'"{plain}"')
        value.encode()
    except ValueError:
        unusual()
    return value


def _empty(rest: str) -> Collection:
    """An empty mapping or sequence."""
    match rest.rstrip(" "):
        case "{}":
            return {}
        case "[]":
            return []
    unusual()


def unusual() -> NoReturn:
    """Leave the document to the other reader."""
    raise Unusual
