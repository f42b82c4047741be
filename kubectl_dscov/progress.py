"""A line on the terminal that says what was read or planned so far, while that takes longer than a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TextIO

#: Seconds before the line appears, and between its changes.
PATIENCE, PERIOD = 1.0, 0.2
_WIDTH = 78


@contextmanager
def shown_on(stream: TextIO, what: str = "reading the cluster") -> Iterator[Callable[[str], None]]:
    """A function to tell progress to, such as `1000 nodes`; the newest of each thing is shown on a terminal."""
    line = _Line(what)
    if not stream.isatty():
        yield line.tell
        return
    done = Event()
    writer = Thread(target=_write, args=(stream, line, done), daemon=True)
    writer.start()
    try:
        yield line.tell
    finally:
        done.set()
        writer.join()


class _Line:
    """What was told so far; the number of a thing is that which was told last."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = Lock()
        self._counts: dict[str, str] = {}

    def tell(self, text: str) -> None:
        """Take in `NUMBER THING`."""
        number, _, thing = text.partition(" ")
        with self._lock:
            self._counts[thing] = number

    def __str__(self) -> str:
        with self._lock:
            counts = ", ".join(f"{number} {thing}" for thing, number in self._counts.items())
        return f"{self._what}: {counts}" if counts else f"{self._what} ..."


def _write(stream: TextIO, line: _Line, done: Event) -> None:
    """Write the line over itself until all is done, and then wipe it out."""
    if done.wait(PATIENCE):
        return
    while True:
        stream.write(f"\r{str(line)[:_WIDTH]:{_WIDTH}}")
        stream.flush()
        if done.wait(PERIOD):
            break
    stream.write(f"\r{'':{_WIDTH}}\r")
    stream.flush()


@contextmanager
def counter_on(stream: TextIO) -> Iterator[Callable[[str], None]]:
    """A function that shows a text over its forerunner on a terminal; elsewhere each new one is a line of its own."""
    last = [""]

    def tell(text: str) -> None:
        if text != last[0]:
            stream.write(f"\r{text[:_WIDTH]:{_WIDTH}}" if stream.isatty() else f"{text}\n")
            stream.flush()
            last[0] = text

    try:
        yield tell
    finally:
        if stream.isatty() and last[0]:
            stream.write(f"\r{'':{_WIDTH}}\r")
            stream.flush()
