"""What runs when kubectl finds `kubectl-dscov` on the PATH, and for `python -m kubectl_dscov`."""

import contextlib
import gc
import os
import sys
from pathlib import Path
from typing import NoReturn

INTERRUPTED = 130
#: New objects before Python looks for rings among them, which is an eighth of a short run with its default of 700.
OBJECTS_BEFORE_SEARCH = 100_000


def main() -> None:
    """Run the command line and leave with its exit code; interrupted, at once and without waiting for any answer."""
    gc.set_threshold(OBJECTS_BEFORE_SEARCH)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # Closed by whoever started us (`>&-`): what goes there is to get lost, not to end the program.
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - open as long as the program runs
        else:
            # A name that the terminal's encoding lacks is written as an escape rather than ending the program.
            stream.reconfigure(errors="backslashreplace")
    if sys.argv[1:2] == ["__complete"]:
        complete(sys.argv[2:])
    if sys.argv[1:] == ["--version"]:
        # What wrappers and shells ask at every start; click alone costs more than all the rest of it.
        from dscov import __version__

        sys.stdout.write(f"kubectl dscov v{__version__}\n")
        return
    try:
        from kubectl_dscov.cli import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
        os._exit(code)
    sys.exit(code)


def complete(words: list[str] | None = None) -> NoReturn:
    """What kubectl starts as `kubectl_complete-dscov` with the words at the prompt: prints choices, never an error."""
    from kubectl_dscov.completing.answer import answer

    answer(sys.argv[1:] if words is None else words)


if __name__ == "__main__":
    main()
