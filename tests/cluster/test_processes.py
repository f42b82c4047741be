"""Programs beside the tests start, are ready, stop, and never outlive the one who started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cluster.local.processes import ClusterError, Process, free_ports

STUBBORN = "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"


def program(folder: Path, *command: str, name: str = "program") -> Process:
    return Process(name=name, command=command, log=folder / f"{name}.log")


def sleeper(folder: Path, code: str = "print('up', flush=True); import time; time.sleep(60)") -> Process:
    return program(folder, sys.executable, "-S", "-c", code)


def up(process: Process) -> bool:
    return "up" in process.tail()


def alive(marker: str) -> list[int]:
    """Ids of the processes whose command line holds `marker`."""
    listed = subprocess.run(["ps", "axww", "-o", "pid=,command="], check=True, capture_output=True, text=True).stdout
    lines = [line.split(None, 1) for line in listed.splitlines()]
    return [int(pid) for pid, *command in lines if command and marker in command[0] and int(pid) != os.getpid()]


def gone(marker: str, seconds: float = 30) -> bool:
    deadline = time.monotonic() + seconds
    while alive(marker):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_start_stop_and_start_again(tmp_path: Path) -> None:
    process = sleeper(tmp_path)
    for _ in range(2):
        process.start()
        process.wait_ready(lambda: up(process), 20)
        assert process.running
        process.stop()
        assert (process.running, process.code) == (False, 128 + signal.SIGTERM)


def test_starting_twice_is_refused(tmp_path: Path) -> None:
    process = sleeper(tmp_path)
    process.start()
    with pytest.raises(ClusterError, match="program runs already"):
        process.start()
    process.stop()


def test_kill_and_pause(tmp_path: Path) -> None:
    process = sleeper(tmp_path)
    process.start()
    process.wait_ready(lambda: up(process), 20)
    process.pause()
    assert process.running
    process.resume()
    process.kill()
    assert process.code == 128 + signal.SIGKILL


def test_a_paused_program_can_be_stopped(tmp_path: Path) -> None:
    process = sleeper(tmp_path)
    process.start()
    process.wait_ready(lambda: up(process), 20)
    process.pause()
    process.stop()
    assert not process.running


def test_who_ignores_the_request_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cluster.local.processes.GRACE_SECONDS", 0.2)
    process = sleeper(tmp_path, STUBBORN)
    process.start()
    process.wait_ready(lambda: up(process), 20)
    process.stop()
    assert process.code == 128 + signal.SIGKILL


def test_a_program_that_dies_early_shows_the_end_of_its_log(tmp_path: Path) -> None:
    process = sleeper(tmp_path, "import sys; print('a flag is wrong', file=sys.stderr); sys.exit(7)")
    process.start()
    with pytest.raises(ClusterError, match=r"(?s)program ended with code 7 before it was ready.*a flag is wrong"):
        process.wait_ready(lambda: False, 20)
    process.stop()


def test_a_program_that_never_gets_ready(tmp_path: Path) -> None:
    process = sleeper(tmp_path)
    process.start()
    process.wait_ready(lambda: up(process), 20)
    with pytest.raises(ClusterError, match=r"(?s)program was not ready after 0 s.*up"):
        process.wait_ready(lambda: False, 0.1)
    process.stop()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_its_starter(tmp_path: Path, how: signal.Signals) -> None:
    """The starter is another Python that starts a sleeper with a child of its own, and dies."""
    marker = f"marker-{os.getpid()}-{tmp_path.name}"
    child = f"[sys.executable, '-c', 'import time; time.sleep(60)', '{marker}']"
    inner = f"import subprocess, sys, time; subprocess.Popen({child}); print('up', flush=True); time.sleep(60)"
    starter = (
        "import sys, time; from pathlib import Path; from cluster.local.processes import Process\n"
        f"p = Process(name='p', command=[sys.executable, '-c', {inner!r}], log=Path({str(tmp_path / 'p.log')!r}))\n"
        "p.start(); p.wait_ready(lambda: 'up' in p.tail(), 20); print('started', flush=True); time.sleep(60)"
    )
    path = os.pathsep.join(sys.path)
    with subprocess.Popen(
        [sys.executable, "-c", starter],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": path},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        assert alive(marker)
        process.send_signal(how)
    assert gone(marker)


def test_a_killed_keeper_takes_its_program_along(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux tells a program that its parent died")
    marker = f"marker-{os.getpid()}-keeper"
    process = sleeper(tmp_path, f"'{marker}'; print('up', flush=True); import time; time.sleep(60)")
    process.start()
    process.wait_ready(lambda: up(process), 20)
    for pid in alive("keeper.py"):
        if marker in Path(f"/proc/{pid}/cmdline").read_text():
            os.kill(pid, signal.SIGKILL)
    assert gone(marker)
    process.stop()


def test_ports_are_distinct_and_free() -> None:
    assert len(set(free_ports(20))) == 20
