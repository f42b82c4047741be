"""How tests get a real cluster. Without `--cluster` those that need one are skipped.

    pytest tests/cluster --cluster local        etcd, Kubernetes and kwok as processes on loopback, built once with Go
    pytest tests/cluster --cluster kind         a new kind cluster: one control plane, three workers; needs Docker
    pytest tests/cluster --cluster kubeconfig   the current context; asks first, or give --cluster-yes

Fixtures:

`cluster` (session)
    A `Cluster` (`handle.py`): `kubeconfig` (Path, administrator), `api` (`api.py`: dictionaries in and out),
    `kubectl(...)`, `make(object)`, `make_namespace()`, `user(rules)` / `expired_user()` (kubeconfigs), `dump(folder)`,
    `mode`, and `plane` (`local/plane.py`; None unless local): `stop`, `start`, `kill` one component, certificates.
    It has no nodes of ours with local: a test makes them with `objects.node` and removes them, or takes its own plane.
`namespace` (function)
    The name of a new namespace in `cluster`, removed afterwards.
`fake_nodes` (function)
    Call it with Node objects (`objects.node`): makes them in `cluster`, removes them and their pods afterwards; local.
`new_cluster` (function)
    Call it with a `Settings` (`local/plane.py`) or nothing: a whole control plane of the test's own, ready in about
    five seconds and gone with the test; for tests that stop components, fill worlds or need admission plugins; local.
`big_cluster` (session)
    The kept world of 1,000 nodes x 16 DaemonSets (`worlds/big_world.py`), started from a copy; local.

Worlds: `worlds.random_world.random_world(seed)` with `create` and `disturb`; `settle.settle(api)` waits until nothing
moves and returns the objects; `play` writes what a kubelet would, for nodes made with `fake=False`.

Whatever was started ends with the test run, also when the run is killed: each program has a keeper that sees the end
of a pipe. Logs and data lie in `~/.cache/kubectl-dscov/runs` while it lasts (`DSCOV_KEEP_RUN=1` leaves them).
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cluster.api import Object, wait_until
from cluster.curables.world import World
from cluster.foreign import current_context, kind_cluster
from cluster.handle import Cluster
from cluster.local import build
from cluster.local.plane import Settings
from cluster.local.processes import ClusterError
from cluster.local.run import local_cluster
from cluster.worlds.big_world import big_world

HERE = Path(__file__).parent
MODES = ("kind", "local", "kubeconfig")
LOCAL_ONLY = {"fake_nodes", "new_cluster", "big_cluster"}
NEEDS_CLUSTER = LOCAL_ONLY | {"cluster", "namespace"}
HOW = "run them with `pytest tests/cluster --cluster local` (or kind, or kubeconfig)"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The flags that say which cluster."""
    group = parser.getgroup("cluster")
    group.addoption("--cluster", choices=MODES, default=None, help="where the cluster tests run; skipped without")
    group.addoption("--cluster-yes", action="store_true", help="with --cluster kubeconfig: do not ask")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what needs a cluster that was not asked for."""
    mode = _mode(config)
    for item in items:
        needs = NEEDS_CLUSTER.intersection(getattr(item, "fixturenames", ()))
        if needs and mode is None and item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.skip(reason=f"cluster tests: {HOW}"))
            config.stash[SKIPPED] = config.stash.get(SKIPPED, 0) + 1
        elif needs & LOCAL_ONLY and mode in {"kind", "kubeconfig"}:
            item.add_marker(pytest.mark.skip(reason="needs --cluster local: it starts a control plane of its own"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """One line for all that was skipped."""
    if count := config.stash.get(SKIPPED, 0):
        terminalreporter.write_line(f"{count} cluster tests skipped: {HOW}")


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster that `--cluster` names."""
    folder = tmp_path_factory.mktemp("cluster")
    yes = bool(request.config.getoption("--cluster-yes", default=False))
    with contextlib.ExitStack() as stack:
        with _seen(request.config):
            match _mode(request.config):
                case "kind":
                    entered = stack.enter_context(kind_cluster(folder))
                case "kubeconfig":
                    entered = stack.enter_context(_allowed(folder, yes=yes))
                case _:
                    build.ensure_built(report=sys.stderr)
                    entered = stack.enter_context(local_cluster())
        yield entered


@pytest.fixture
def namespace(cluster: Cluster) -> Iterator[str]:
    """A namespace that goes with the test."""
    name = cluster.make_namespace()
    yield name
    cluster.api.delete({"kind": "Namespace", "metadata": {"name": name}})


@pytest.fixture
def fake_nodes(cluster: Cluster) -> Iterator[Callable[..., None]]:
    """Makes Node objects that go with the test."""
    made: list[Object] = []

    def make(*nodes: Object) -> None:
        made.extend(nodes)
        for refusal in cluster.api.create_all(nodes):
            raise ClusterError(f"{refusal.object['metadata']['name']}: {refusal.message}")

    yield make
    cluster.api.delete_all(made)
    names = {node["metadata"]["name"] for node in made}
    bound = [pod for pod in cluster.api.list("Pod") if pod["spec"].get("nodeName") in names]
    cluster.api.delete_all(bound, now=True)
    wait_until(lambda: not any(cluster.exists("Node", name) for name in names), 60, "the end of the nodes")


@pytest.fixture
def world(cluster: Cluster, namespace: str, fake_nodes: Callable[..., None]) -> Iterator[World]:
    """A namespace with nodes and a DaemonSet of its own."""
    made = World(cluster, namespace, fake_nodes)
    yield made
    made.clean_up()


@pytest.fixture
def state(tmp_path: Path) -> dict[str, str]:
    """The environment of a command whose records go into a folder of the test's own."""
    return {"XDG_STATE_HOME": str(tmp_path / "state"), "COLUMNS": "100"}


@pytest.fixture
def new_cluster(request: pytest.FixtureRequest) -> Iterator[Callable[..., Cluster]]:
    """Starts control planes that go with the test."""
    with contextlib.ExitStack() as stack:

        def start(settings: Settings | None = None) -> Cluster:
            with _seen(request.config):
                build.ensure_built(report=sys.stderr)
            return stack.enter_context(local_cluster(settings))

        yield start


@pytest.fixture(scope="session")
def big_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """The world of 1,000 nodes x 16 DaemonSets."""
    with contextlib.ExitStack() as stack:
        with _seen(request.config):
            entered = stack.enter_context(big_world(report=sys.stderr))
        yield entered


SKIPPED = pytest.StashKey[int]()


def _mode(config: pytest.Config) -> str | None:
    """The asked cluster; None too if this file was loaded too late for its flags to be known."""
    mode: str | None = config.getoption("--cluster", default=None)
    return mode


@contextlib.contextmanager
def _allowed(folder: Path, *, yes: bool) -> Iterator[Cluster]:
    """The current context, or the end of the run: a refused permission is not a failed test."""
    with contextlib.ExitStack() as stack:
        try:
            entered = stack.enter_context(current_context(folder, yes=yes))
        except ClusterError as error:
            pytest.exit(str(error), returncode=4)
        yield entered


@contextlib.contextmanager
def _seen(config: pytest.Config) -> Iterator[None]:
    """Let progress and questions reach the terminal: a first build takes minutes."""
    capture = config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
        yield
