"""A file as bytes and as text: the byte order mark is set aside and put back, everything else is kept."""

from __future__ import annotations

from dataclasses import dataclass

from dscov.errors import Refused

_BOM = b"\xef\xbb\xbf"
_LIMIT = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """A file that was read: `path` as the user knows it, and its bytes."""

    path: str
    raw: bytes

    @property
    def text(self) -> str:
        """The text without byte order mark; Refused where it is not UTF-8 or has line ends that are not kept apart."""
        if len(self.raw) > _LIMIT:
            raise Refused(
                f"{self.path}: larger than {_LIMIT // 2**20} MiB", remedy="Split the file, or edit it by hand."
            )
        try:
            text = self.raw.removeprefix(_BOM).decode()
        except UnicodeDecodeError as error:
            reason = f"{self.path}: not UTF-8 at byte {error.start}"
            raise Refused(reason, remedy="Save the file as UTF-8 and run the command again.") from error
        odd = next((name for char, name in _ODD_BREAKS.items() if char in text.replace("\r\n", "\n")), None)
        if odd:
            reason = f"{self.path}: holds {odd} as a line end"
            raise Refused(reason, remedy="Save the file with Unix or Windows line ends and run the command again.")
        return text

    def encoded(self, text: str) -> bytes:
        """The bytes of a new text of this file."""
        return (_BOM if self.raw.startswith(_BOM) else b"") + text.encode()


_ODD_BREAKS = {
    "\r": "a lone carriage return",
    "\x85": "NEL (U+0085)",
    "\u2028": "a line separator (U+2028)",
    "\u2029": "a paragraph separator (U+2029)",
}
