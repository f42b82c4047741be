"""Programs that run beside the tests and never outlive them."""

from __future__ import annotations

import contextlib
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

KEEPER = Path(__file__).with_name("keeper.py")
GRACE_SECONDS = 10.0
# Below every usual range of ephemeral ports: a client that retries a closed port there can connect to itself.
PORTS = range(20000, 32000)


class ClusterError(RuntimeError):
    """The cluster for the tests could not be built, started or brought to the asked state."""


@dataclass
class Process:
    """One program under a keeper, its output appended to `log`; it can be stopped, killed, paused and started again."""

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] | None = None
    folder: Path | None = None
    _keeper: subprocess.Popen[str] | None = field(default=None, repr=False)

    @property
    def running(self) -> bool:
        """True from start until the program has gone."""
        return self._keeper is not None and self._keeper.poll() is None

    @property
    def code(self) -> int | None:
        """How the last run ended (128 + signal if it was killed), None while it runs or before the first start."""
        return None if self._keeper is None else self._keeper.poll()

    def start(self) -> None:
        """Start the program; ClusterError if it runs already."""
        if self.running:
            msg = f"{self.name} runs already"
            raise ClusterError(msg)
        self._close()
        with self.log.open("ab") as log:
            self._keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", str(KEEPER), str(GRACE_SECONDS), *self.command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                text=True,
                env=self.environment,
                cwd=self.folder,
                start_new_session=True,
            )

    def signal(self, number: int) -> None:
        """Send a signal to the program; nothing happens if it has gone."""
        if self._keeper is not None and self._keeper.stdin is not None and not self._keeper.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self._keeper.stdin.write(f"{int(number)}\n")
                self._keeper.stdin.flush()

    def request_stop(self) -> None:
        """Begin an orderly stop without waiting for its end."""
        if self._keeper is not None and self._keeper.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._keeper.stdin.close()

    def stop(self) -> None:
        """Orderly stop; after the grace period the keeper kills the program. No error if it has gone already."""
        self.request_stop()
        self._close()

    def kill(self) -> None:
        """End the program at once, as a crash would."""
        self.signal(signal.SIGKILL)
        self._close()

    def pause(self) -> None:
        """Freeze the program: connections stay open and nobody answers."""
        self.signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Undo `pause`."""
        self.signal(signal.SIGCONT)

    def wait(self, seconds: float) -> int:
        """Exit code of the program; `subprocess.TimeoutExpired` when it takes longer."""
        if self._keeper is None:
            msg = f"{self.name} was never started"
            raise ClusterError(msg)
        return self._keeper.wait(seconds)

    def wait_ready(self, ready: Callable[[], bool], seconds: float) -> None:
        """Wait until `ready` is true; ClusterError with the end of the log if the program dies or time runs out."""
        deadline = time.monotonic() + seconds
        while not ready():
            if not self.running:
                msg = f"{self.name} ended with code {self.code} before it was ready\n{self.tail()}"
                raise ClusterError(msg)
            if time.monotonic() > deadline:
                msg = f"{self.name} was not ready after {seconds:.0f} s\n{self.tail()}"
                raise ClusterError(msg)
            time.sleep(0.05)

    def tail(self, lines: int = 25) -> str:
        """The last lines of the log, under its path."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join([f"{self.log}:", *("  " + line for line in text.splitlines()[-lines:])])

    def _close(self) -> None:
        if self._keeper is None:
            return
        self._keeper.wait(GRACE_SECONDS + 10)
        if self._keeper.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._keeper.stdin.close()


def free_ports(count: int) -> list[int]:
    """Distinct loopback TCP ports that nobody listens on now; ClusterError when there are not enough."""
    found: list[int] = []
    for port in random.SystemRandom().sample(PORTS, k=len(PORTS)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    msg = f"no {count} free loopback ports between {PORTS.start} and {PORTS.stop}"
    raise ClusterError(msg)
