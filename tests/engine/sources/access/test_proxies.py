"""Proxies, from the kubeconfig and from the environment, are used, spared and signed in to as kubectl does."""

from importlib.util import find_spec

import pytest
from engine.sources.access.servers import Proxy, SocksProxy, running
from engine.sources.access.world import Sent, basic, both, sent_by_us, through

from dscov.errors import BadAccess, CouldNotLook
from dscov.sources.access import Overrides, resolve
from dscov.sources.access.proxies import environment_proxy
from dscov.sources.access.transport import Transport


@pytest.fixture
def proxy(api):
    with running(Proxy(api.server_port)) as server:
        yield server


@both
def test_proxy_url(send, world, api, proxy):
    environ = through(world, f"https://cluster.example:{api.server_port}", **{"proxy-url": f"http://{proxy.address}"})
    assert send(world, api, [], environ) == Sent("Bearer t", server_name="cluster.example")
    assert proxy.requests[0].startswith(f"CONNECT cluster.example:{api.server_port} HTTP/1.")
    assert "Bearer" not in "".join(proxy.requests)


@both
def test_proxy_url_counts_for_this_machine_too(send, world, api, proxy):
    environ = through(world, api.url, **{"proxy-url": f"http://{proxy.address}"})
    assert send(world, api, [], environ | {"NO_PROXY": "*"}) == Sent("Bearer t")
    assert len(proxy.requests) >= 1


@both
def test_proxy_credentials_go_to_the_proxy_alone(send, world, api, proxy):
    environ = through(world, api.url, **{"proxy-url": f"http://me:p%40ss@{proxy.address}"})
    assert send(world, api, [], environ) == Sent("Bearer t")
    lines = {line.partition(":")[0].lower(): line.partition(": ")[2] for line in proxy.requests[0].split("\n")}
    assert lines["proxy-authorization"] == basic("me", "p@ss")


@both
@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy"])
@pytest.mark.parametrize("value", ["http://ADDRESS", "ADDRESS"])
def test_proxy_of_the_environment(send, name, value, world, api, proxy):
    environ = through(world, f"https://cluster.example:{api.server_port}")
    environ |= {name: value.replace("ADDRESS", proxy.address), "NO_PROXY": "example.org,10.0.0.0/8"}
    assert send(world, api, [], environ) == Sent("Bearer t", server_name="cluster.example")


@both
@pytest.mark.parametrize("spared", ["cluster.example", ".example", "*", "example", "foo, CLUSTER.example:PORT"])
def test_no_proxy(send, spared, world, api, proxy):
    environ = through(world, f"https://cluster.example:{api.server_port}")
    environ |= {"HTTPS_PROXY": proxy.address, "NO_PROXY": spared.replace("PORT", str(api.server_port))}
    assert isinstance(send(world, api, ["--request-timeout=5s"], environ), str)
    assert proxy.requests == []


@both
def test_this_machine_is_never_behind_the_proxy_of_the_environment(send, world, api, proxy):
    environ = through(world, api.url) | {"HTTPS_PROXY": proxy.address}
    assert send(world, api, [], environ) == Sent("Bearer t")
    assert proxy.requests == []


@both
@pytest.mark.parametrize("url", ["ftp://x", "://", "nonsense"])
def test_proxy_url_that_is_none(send, url, world, api):
    assert isinstance(send(world, api, [], through(world, api.url, **{"proxy-url": url})), str)


@pytest.mark.parametrize(
    ("spared", "server", "used"),
    [
        ("", "https://a.example", True),
        ("10.0.0.0/8", "https://10.1.2.3:6443", False),
        ("10.0.0.0/8", "https://11.1.2.3:6443", True),
        ("10.1.2.3", "https://10.1.2.3:6443", False),
        ("10.1.2.3:6443", "https://10.1.2.3:6443", False),
        ("10.1.2.3:443", "https://10.1.2.3:6443", True),
        ("a.example:443", "https://a.example", False),
        ("*.example", "https://a.example", False),
        ("*.a.example", "https://a.example", True),
        (".a.example", "https://a.example", True),
        ("a.example", "https://b.a.example", False),
        ("ample", "https://a.example", True),
        ("fd00::/8", "https://[fd00::1]:6443", False),
        ("[fd00::1]:6443", "https://[fd00::1]:6443", False),
        ("fd00::1", "https://[fd00::1]:6443", False),
        ("", "https://[::1]:6443", False),
        ("", "https://127.8.0.1", False),
        ("", "https://localhost", False),
        ("nonsense/99, ,", "https://a.example", True),
    ],
)
def test_no_proxy_rules_of_go(spared, server, used):
    environ = {"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": spared}
    assert environment_proxy(server, environ) == ("http://proxy:3128" if used else "")


def test_plain_http_through_a_proxy_asks_it_for_whole_urls(world, plain_api, proxy):
    environ = through(world, "http://cluster.example:8080/k", **{"proxy-url": f"http://me:x@{proxy.address}"})
    access = resolve(Overrides(as_user="a", as_groups=("g1", "g2")), world.environ(environ))
    with Transport(access) as transport:
        assert transport.get("/api", query={"limit": "5"}).body == b"{}"
    request = proxy.requests[0].split("\n")
    assert request[0] == "GET http://cluster.example:8080/k/api?limit=5 HTTP/1.1"
    assert [line for line in request if "Impersonate-Group" in line] == [
        "Impersonate-Group: g1",
        "Impersonate-Group: g2",
    ]
    assert [line for line in request if "proxy-auth" in line.lower()] == [f"proxy-authorization: {basic('me', 'x')}"]


@both
def test_a_socks_proxy_is_given_the_name(send, world, api):
    if send is sent_by_us and not find_spec("socks"):
        pytest.skip("PySocks is not installed")
    with running(SocksProxy(api.server_port)) as proxy:
        url = f"socks5://{proxy.address}"
        environ = through(world, f"https://cluster.example:{api.server_port}", **{"proxy-url": url})
        assert send(world, api, [], environ) == Sent("Bearer t", server_name="cluster.example")
    assert proxy.requests[0] == "cluster.example"


def test_a_socks_proxy_needs_its_package(world, api):
    if find_spec("socks"):
        pytest.skip("PySocks is installed")
    access = resolve(Overrides(), world.environ(through(world, api.url, **{"proxy-url": "socks5://127.0.0.1:9"})))
    with pytest.raises(BadAccess, match="PySocks"):
        Transport(access).get("/x")


def test_a_proxy_that_is_not_there_is_named_without_its_password(world, api):
    access = resolve(
        Overrides(), world.environ(through(world, api.url, **{"proxy-url": "http://me:secret@127.0.0.1:9"}))
    )
    assert "secret" not in repr(access)
    with pytest.raises(CouldNotLook, match=r"through the proxy 127\.0\.0\.1:9") as caught:
        Transport(access, sleep=lambda _: None).get("/x")
    assert "secret" not in str(caught.value)
