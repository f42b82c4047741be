import shutil

import pytest
from engine.sources.access import certificates
from engine.sources.access.servers import ApiServer, running
from engine.sources.access.world import SECRET, World

from dscov.sources.access import Access
from dscov.sources.access.model import Identity, Tls

VARIABLES = [
    *("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"),
    *(
        "KUBECONFIG",
        "KUBERC",
        "KUBERNETES_MASTER",
        "KUBERNETES_SERVICE_HOST",
        "KUBERNETES_SERVICE_PORT",
        "POD_NAMESPACE",
    ),
]


@pytest.fixture(scope="session")
def certs(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("the openssl command, which makes the certificates, is not installed")
    return certificates.make(tmp_path_factory.mktemp("certs"))


@pytest.fixture
def api(certs):
    with running(ApiServer(certs / "server.pem", certs / "ca.crt")) as server:
        yield server


@pytest.fixture
def plain_api():
    with running(ApiServer()) as server:
        yield server


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """An environment without any trace of a cluster or a proxy."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def access(api, certs):
    """The way to `api` with a token."""
    tls = Tls(authority=(certs / "ca.crt").read_bytes())
    return Access(server=api.url, tls=tls, identity=Identity(token=SECRET), origin="test")


@pytest.fixture
def world(tmp_path, certs, environment, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return World(tmp_path, {"CERTS": str(certs)})
