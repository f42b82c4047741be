"""Texts from clusters and files, made harmless in Markdown."""

from __future__ import annotations

import html
import re

from kubectl_dscov.render.ink import plain

#: What Markdown acts on, and GitHub beside it: the colon of https:// and the dot of www. make a link of a name.
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~@]|:(?=//)|(?<=\bwww)\.)", re.IGNORECASE)


def escaped(words: str) -> str:
    """Words with nothing left that Markdown or HTML would act on."""
    return html.escape(_SPECIAL.sub(r"\\\1", plain(words)), quote=False)


def with_code(words: str) -> str:
    """Words in which backticks enclose code: what is in pairs of them stays code, all else is made harmless."""
    parts = words.split("`")
    if len(parts) % 2 == 0:
        return escaped(words)
    return "".join(f"`{plain(part)}`" if number % 2 and part else escaped(part) for number, part in enumerate(parts))


def fenced(block: str, language: str) -> list[str]:
    """The lines of a block of code, in a fence that nothing in it ends; tabs stay."""
    longest = max(map(len, re.findall("`+", block)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = block.removesuffix("\n").split("\n")
    return [f"{fence}{language}", *("\t".join(map(plain, line.split("\t"))) for line in lines), fence]
