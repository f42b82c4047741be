"""Runs one program until standard input closes, so that the program dies with whoever holds the other end.

Started as `keeper.py <grace seconds> <program> <arguments...>`. Each line on standard input is the number of a signal
for the program's process group; the end of input means: terminate, and after the grace period kill.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading

PR_SET_PDEATHSIG = 1


def die_with_keeper() -> None:
    """Ask Linux to kill the program should the keeper itself be killed; other systems have no such call."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def deliver(child: subprocess.Popen[bytes], number: int) -> None:
    """Signal the whole group: `go build`, for one, has children of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)


def leave_with(child: subprocess.Popen[bytes]) -> None:
    """Exit as the program exits: its code, or 128 + the signal that ended it."""
    code = child.wait()
    os._exit(code if code >= 0 else 128 - code)


def stop(child: subprocess.Popen[bytes], grace: float) -> None:
    """Terminate, also if paused, and kill what has not gone by itself after `grace` seconds."""
    deliver(child, signal.SIGTERM)
    deliver(child, signal.SIGCONT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(grace)
    deliver(child, signal.SIGKILL)
    child.wait()


def main() -> None:
    """Start the program, pass signals on, and never outlive the caller."""
    grace, command = float(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # The keeper has one thread here, which the death signal needs: it follows the thread that forked.
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0, preexec_fn=die_with_keeper)
    threading.Thread(target=leave_with, args=(child,), daemon=True).start()
    try:
        for line in sys.stdin:
            deliver(child, int(line))
    finally:
        stop(child, grace)


if __name__ == "__main__":
    main()
