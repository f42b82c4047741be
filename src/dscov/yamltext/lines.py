"""Where lines begin, end and belong: the geometry that comments and line ends need."""

from __future__ import annotations

from dscov.yamltext.splice import Splice


def line_start(text: str, index: int) -> int:
    """The start of the line that holds `index`."""
    return text.rfind("\n", 0, index) + 1


def line_end(text: str, index: int) -> int:
    """The end of the line that holds `index`, in front of its line end (`\\n` or `\\r\\n`)."""
    end = text.find("\n", index)
    if end < 0:
        return len(text)
    return end - 1 if end and text[end - 1] == "\r" else end


def next_line(text: str, index: int) -> int:
    """The start of the line behind the one that holds `index`; the end of the text when there is none."""
    end = text.find("\n", index)
    return len(text) if end < 0 else end + 1


def column(text: str, index: int) -> int:
    """How many characters stand in front of `index` on its line."""
    return index - line_start(text, index)


def is_blank(text: str) -> bool:
    """Whether there is nothing but white space."""
    return not text.strip(" \t\r\n")


def newline_near(text: str, index: int) -> str:
    """The line end of the line that holds `index`; of the line before it where it has none; else `\\n`."""
    end = text.find("\n", index)
    if end < 0:
        end = text.rfind("\n", 0, index)
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def behind_comments(text: str, index: int, depth: int, *, over_blanks: bool) -> int:
    """The start of the first line behind `index`'s own that is no comment indented by `depth` or more.

    With `over_blanks` blank lines are skipped when such a comment follows them.
    """
    here = place = next_line(text, index)
    while place < len(text):
        line = text[place : line_end(text, place)]
        bare = line.lstrip(" ")
        if bare.startswith("#") and len(line) - len(bare) >= depth:
            here = next_line(text, place)
        elif not (over_blanks and is_blank(line)):
            break
        place = next_line(text, place)
    return here


def insert_lines(text: str, at: int, lines: list[str]) -> Splice:
    """Whole lines put in at `at`, a start of a line or the end of the text; a missing final newline stays missing."""
    if at == len(text) and text and not text.endswith("\n"):
        newline = newline_near(text, at)
        return Splice(at, at, "".join(newline + line for line in lines))
    newline = newline_near(text, max(at - 1, 0))
    return Splice(at, at, "".join(line + newline for line in lines))


def delete_lines(text: str, start: int, end: int) -> Splice:
    """The lines from `start` to `end` (both starts of lines) taken out; a missing final newline stays missing."""
    if end == len(text) and not text.endswith("\n"):
        start = line_end(text, start - 1) if start else 0
    return Splice(start, end, "")
