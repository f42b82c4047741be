"""The control plane: which programs run, with which settings, and when each is ready."""

from __future__ import annotations

import contextlib
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cluster.local import build
from cluster.local.certificates import ISSUER, Authority, Pair, mint_token, new_authority, new_signing_key
from cluster.local.kubeconfig import by_certificate, by_token, cluster_at, write_kubeconfig
from cluster.local.processes import Process, free_ports

READY_SECONDS = 90.0
SERVICES = "10.96.0.0/16"
ETCD, API, MANAGER, SCHEDULER, KWOK = (
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
)

READY_PATHS = {ETCD: "/health", API: "/readyz", MANAGER: "/healthz", SCHEDULER: "/readyz", KWOK: "/readyz"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a test may want otherwise; the defaults carry a world of thousands of pods on two cores.

    With node leases of 40 s such a world flaps on a small machine, so no node is judged by its silence: a test that
    wants a node not ready says so in the node's status. `node_grace` brings the real rule back.
    """

    node_grace: str = "40h"
    admission_plugins: tuple[str, ...] = ()
    feature_gates: str = ""
    components: tuple[str, ...] = (ETCD, API, MANAGER, SCHEDULER, KWOK)
    extra: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass
class ControlPlane:
    """A control plane in `folder`: certificates, logs, etcd's data and kubeconfigs lie there."""

    folder: Path
    settings: Settings
    authority: Authority
    signing_key: Path
    ports: dict[str, int]
    processes: dict[str, Process] = field(default_factory=dict)

    @property
    def server(self) -> str:
        """URL of the API server."""
        return f"https://127.0.0.1:{self.ports[API]}"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig (group system:masters)."""
        return self.folder / "admin.kubeconfig"

    @property
    def etcd_data(self) -> Path:
        """etcd's data folder."""
        return self.folder / "etcd"

    def start(self, name: str) -> None:
        """Start one component and wait until it is ready."""
        process = self.processes[name]
        process.start()
        process.wait_ready(lambda: self.ready(name), READY_SECONDS)

    def stop(self, name: str) -> None:
        """Stop one component in order; `start` brings it back on the same port with the same data."""
        self.processes[name].stop()

    def kill(self, name: str) -> None:
        """End one component as a crash would."""
        self.processes[name].kill()

    def restart(self, name: str) -> None:
        """Stop and start."""
        self.stop(name)
        self.start(name)

    def stop_all(self) -> None:
        """Stop everything, clients before servers; returns when all have gone."""
        for name in (KWOK, SCHEDULER, MANAGER):
            if name in self.processes:
                self.processes[name].request_stop()
        for name in (KWOK, SCHEDULER, MANAGER, API, ETCD):
            if name in self.processes:
                self.processes[name].stop()

    def ready(self, name: str) -> bool:
        """Whether the component answers that it is ready."""
        return self.get(name, READY_PATHS[name]) is not None

    def get(self, name: str, path: str) -> bytes | None:
        """What a component answers to the administrator at `path`, None if it is not there or refuses."""
        plain = name in {ETCD, KWOK}
        url = f"{'http' if plain else 'https'}://127.0.0.1:{self.ports[name]}{path}"
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self._tls())
        )
        try:
            with opener.open(url, timeout=5) as answer:
                return bytes(answer.read())
        except (urllib.error.URLError, OSError):
            return None

    def user_by_certificate(self, name: str, groups: tuple[str, ...] = ()) -> Path:
        """Kubeconfig of a user known by a client certificate, with no rights until a test binds a role."""
        return self._kubeconfig(name, by_certificate(self.authority.issue(name, user=name, groups=groups)))

    def user_by_token(self, name: str, token: str) -> Path:
        """Kubeconfig of whoever the token says."""
        return self._kubeconfig(name, by_token(token))

    def token(self, account: dict[str, Any], seconds: int) -> str:
        """A token for a ServiceAccount object that lives `seconds`; negative for one that has expired already."""
        meta = account["metadata"]
        return mint_token(
            self.signing_key, namespace=meta["namespace"], name=meta["name"], uid=meta["uid"], seconds=seconds
        )

    def _kubeconfig(self, name: str, user: dict[str, Any]) -> Path:
        cluster = cluster_at(self.server, self.authority.root.certificate)
        return write_kubeconfig(self.folder / f"{name}.kubeconfig", cluster=cluster, user=user, name=name)

    def _tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.authority.root.certificate))
        context.load_cert_chain(self.authority.folder / "admin.crt", self.authority.folder / "admin.key")
        return context


def prepare(folder: Path, settings: Settings) -> ControlPlane:
    """Certificates, kubeconfigs and command lines of a control plane in an empty or kept `folder`; starts nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    authority = new_authority(folder / "certificates")
    names = (ETCD, API, MANAGER, SCHEDULER, KWOK)
    *ports, peer = free_ports(len(names) + 1)
    plane = ControlPlane(
        folder, settings, authority, new_signing_key(authority.folder), dict(zip(names, ports, strict=True))
    )
    plane.user_by_certificate("admin", ("system:masters",))
    serving = {name: authority.issue(f"{name}-serving", user=name, server=True) for name in (API, MANAGER, SCHEDULER)}
    configs = {name: plane.user_by_certificate(f"system:{name}") for name in (MANAGER, SCHEDULER)}
    commands = {
        ETCD: _etcd(plane, peer),
        API: _api_server(plane, serving[API]),
        MANAGER: _manager(plane, serving[MANAGER], configs[MANAGER]),
        SCHEDULER: _scheduler(plane, serving[SCHEDULER], configs[SCHEDULER]),
        KWOK: _kwok(plane),
    }
    for name in settings.components:
        command = [*commands[name], *settings.extra.get(name, ())]
        plane.processes[name] = Process(name=name, command=command, log=folder / f"{name}.log", folder=folder)
    return plane


@contextlib.contextmanager
def running(plane: ControlPlane) -> Iterator[ControlPlane]:
    """Start all components in order and stop them at the end, whatever happens in between."""
    try:
        for name in plane.settings.components:
            plane.start(name)
        yield plane
    finally:
        plane.stop_all()


def _flags(**values: object) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]


def _etcd(plane: ControlPlane, peer: int) -> list[str]:
    client = f"http://127.0.0.1:{plane.ports[ETCD]}"
    peers = f"http://127.0.0.1:{peer}"
    return [
        str(build.ETCD.path),
        *_flags(data_dir=plane.etcd_data, listen_client_urls=client, advertise_client_urls=client),
        *_flags(listen_peer_urls=peers, initial_advertise_peer_urls=peers, initial_cluster=f"default={peers}"),
        # Nothing here must survive a power cut, and eight gigabytes hold a world of 5,000 nodes.
        *_flags(unsafe_no_fsync="true", quota_backend_bytes=8 << 30, log_level="warn"),
    ]


def _api_server(plane: ControlPlane, serving: Pair) -> list[str]:
    settings = plane.settings
    flags = _flags(
        etcd_servers=f"http://127.0.0.1:{plane.ports[ETCD]}",
        bind_address="127.0.0.1",
        secure_port=plane.ports[API],
        # 1.37 refuses to advertise a loopback address otherwise.
        endpoint_reconciler_type="none",
        service_cluster_ip_range=SERVICES,
        authorization_mode="RBAC",
        allow_privileged="true",
        client_ca_file=plane.authority.root.certificate,
        # Without it the controller-manager and the scheduler complain all the time; nobody holds such a certificate.
        requestheader_client_ca_file=plane.authority.root.certificate,
        requestheader_allowed_names="front-proxy",
        tls_cert_file=serving.certificate,
        tls_private_key_file=serving.key,
        service_account_issuer=ISSUER,
        service_account_key_file=plane.signing_key,
        service_account_signing_key_file=plane.signing_key,
    )
    if settings.admission_plugins:
        flags += _flags(enable_admission_plugins=",".join(settings.admission_plugins))
    return [str(build.API_SERVER.path), *flags, *_gates(settings)]


def _manager(plane: ControlPlane, serving: Pair, config: Path) -> list[str]:
    flags = _flags(
        **_client(serving, config, plane.ports[MANAGER]),
        service_account_private_key_file=plane.signing_key,
        root_ca_file=plane.authority.root.certificate,
        use_service_account_credentials="true",
        node_monitor_grace_period=plane.settings.node_grace,
        # The taints of a lost node come at once, not one node each ten seconds.
        node_eviction_rate=1000,
        secondary_node_eviction_rate=1000,
    )
    return [str(build.CONTROLLER_MANAGER.path), *flags, *_gates(plane.settings)]


def _scheduler(plane: ControlPlane, serving: Pair, config: Path) -> list[str]:
    flags = _flags(**_client(serving, config, plane.ports[SCHEDULER]))
    return [str(build.SCHEDULER.path), *flags, *_gates(plane.settings)]


def _client(serving: Pair, config: Path, port: int) -> dict[str, object]:
    """Flags that the controller-manager and the scheduler share."""
    return {
        "kubeconfig": config,
        "authentication_kubeconfig": config,
        "authorization_kubeconfig": config,
        "bind_address": "127.0.0.1",
        "secure_port": port,
        "tls_cert_file": serving.certificate,
        "tls_private_key_file": serving.key,
        "leader_elect": "false",
        # More than two cores can serve, and no more: with ten times as much on a busy machine thousands of requests
        # wait in the API server, time out, are sent again, and a fill comes to a standstill.
        "kube_api_qps": 200,
        "kube_api_burst": 200,
    }


def _kwok(plane: ControlPlane) -> list[str]:
    """Kwok with its stages for nodes and pods that become ready at once; it plays annotated nodes only."""
    stages = build.module_folder(build.KWOK) / "kustomize" / "stage"
    files = [stages / "node" / "fast" / "node-initialize.yaml", *sorted((stages / "pod" / "fast").glob("pod-*.yaml"))]
    flags = _flags(
        kubeconfig=plane.kubeconfig,
        server_address=f"127.0.0.1:{plane.ports[KWOK]}",
        manage_nodes_with_annotation_selector="kwok.x-k8s.io/node=fake",
        node_lease_duration_seconds=0,
        v="WARN",
    )
    return [str(build.KWOK.path), *(f"--config={file}" for file in [*files, _kwok_options(plane)]), *flags]


def _kwok_options(plane: ControlPlane) -> Path:
    """Kwok's settings that have no flag; by default it plays four pods at once, and a fill waits for it."""
    path = plane.folder / "kwok.json"
    options = {"podPlayStageParallelism": 16, "nodePlayStageParallelism": 16}
    path.write_text(
        json.dumps({"apiVersion": "config.kwok.x-k8s.io/v1alpha1", "kind": "KwokConfiguration", "options": options})
    )
    return path


def _gates(settings: Settings) -> list[str]:
    return _flags(feature_gates=settings.feature_gates) if settings.feature_gates else []
