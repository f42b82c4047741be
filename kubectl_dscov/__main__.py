"""What runs when kubectl finds `kubectl-dscov` on the PATH, and for `python -m kubectl_dscov`."""

import gc
import os
import sys
from pathlib import Path
from typing import NoReturn

COULD_NOT_LOOK, INTERRUPTED = 3, 130
#: New objects before Python looks for rings among them, which is an eighth of a short run with its default of 700.
OBJECTS_BEFORE_SEARCH = 100_000


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
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
    leave(answered(sys.argv[1:]))


def answered(words: list[str]) -> int:
    """The exit code of the command line, after all of its work."""
    if words == ["--version"]:
        # What wrappers and shells ask at every start; click alone costs more than all the rest of it.
        from dscov import __version__

        try:
            sys.stdout.write(f"kubectl dscov v{__version__}\n")
        except OSError as problem:
            return 0 if isinstance(problem, BrokenPipeError) else COULD_NOT_LOOK
        return 0
    try:
        from kubectl_dscov.cli import run

        return run(words)
    except KeyboardInterrupt:
        return INTERRUPTED


def leave(code: int) -> NoReturn:
    """End at once: no answer of a server is waited for, nor is every module taken apart, a sixth of a short run."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (BrokenPipeError, ValueError, AttributeError):
            # Nobody reads any more, or it was closed: what was to be said got lost with it.
            continue
        except OSError:
            code = code or COULD_NOT_LOOK
    os._exit(code)


def complete(words: list[str] | None = None) -> NoReturn:
    """What kubectl starts as `kubectl_complete-dscov` with the words at the prompt: prints choices, never an error."""
    from kubectl_dscov.completing.answer import answer

    answer(sys.argv[1:] if words is None else words)


if __name__ == "__main__":
    main()
