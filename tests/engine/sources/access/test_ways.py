"""The ways to a server: plain http, proxies, a path in front, a pod's service account, or nothing at all; as kubectl goes."""

import json
import shutil
import subprocess
from importlib.util import find_spec

import pytest

from dscov.errors import BadAccess, CouldNotLook
from dscov.sources.access import Overrides, resolve
from dscov.sources.access.proxies import environment_proxy
from dscov.sources.access.transport import Transport
from engine.sources.access.servers import Proxy, running
from engine.sources.access.world import Sent, World, basic, facts, kubeconfig, sent_by_kubectl, sent_by_us

both = pytest.mark.parametrize(
    "send",
    [
        pytest.param(sent_by_us, id="we"),
        pytest.param(
            sent_by_kubectl,
            id="kubectl",
            marks=pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed"),
        ),
    ],
)


@pytest.fixture
def proxy(api):
    with running(Proxy(api.server_port)) as server:
        yield server


@pytest.fixture
def world(tmp_path, certs, environment, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return World(tmp_path, {"CERTS": str(certs)})


def through(world, url, *, user=None, **cluster) -> dict[str, str]:
    """A kubeconfig for `url`, and the environment that names it."""
    authority = {"certificate-authority": "CERTS/ca.crt"} if url.startswith("https") else {}
    world.write({"config": kubeconfig(cluster={"server": url} | authority | cluster, user=user)})
    return {"KUBECONFIG": "DIR/config"}


@both
@pytest.mark.parametrize("user", [{"token": "t"}, {"username": "a", "password": "b"}, {"tokenFile": "config"}, {}])
def test_plain_http_carries_no_credentials_but_impersonates(send, user, world, plain_api):
    environ = through(world, plain_api.url, user=user)
    assert send(world, plain_api, ["--as", "alice"], environ) == Sent(impersonate=(("user", "alice"),))


@both
def test_host_and_port_mean_plain_http(send, world, plain_api):
    environ = through(world, plain_api.url.removeprefix("http://"))
    assert send(world, plain_api, [], environ) == Sent()


@both
def test_kubernetes_master_is_the_server_of_last_resort(send, world, plain_api):
    assert send(world, plain_api, [], {"KUBERNETES_MASTER": plain_api.url}) == Sent()


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
    assert [line for line in request if "Impersonate-Group" in line] == ["Impersonate-Group: g1", "Impersonate-Group: g2"]
    assert [line for line in request if "proxy-auth" in line.lower()] == [f"proxy-authorization: {basic('me', 'x')}"]


def test_a_socks_proxy_needs_its_package(world, api):
    if find_spec("socks"):
        pytest.skip("PySocks is installed")
    access = resolve(Overrides(), world.environ(through(world, api.url, **{"proxy-url": "socks5://127.0.0.1:9"})))
    with pytest.raises(BadAccess, match="PySocks"):
        Transport(access).get("/x")


def test_a_proxy_that_is_not_there_is_named_without_its_password(world, api):
    access = resolve(Overrides(), world.environ(through(world, api.url, **{"proxy-url": "http://me:secret@127.0.0.1:9"})))
    assert "secret" not in repr(access)
    with pytest.raises(CouldNotLook, match=r"through the proxy 127\.0\.0\.1:9") as caught:
        Transport(access, sleep=lambda _: None).get("/x")
    assert "secret" not in str(caught.value)


def test_a_path_in_front_of_the_api(world, api):
    environ = through(world, f"{api.url}/k8s/clusters/c-abc/")
    with Transport(resolve(Overrides(), world.environ(environ))) as transport:
        transport.get("/api/v1/pods", query={"limit": "5"})
        with transport.stream("/api/v1/nodes"):
            pass
        transport.patch("/apis/apps/v1", b"{}", content_type="application/json-patch+json")
    ours = [seen.path for seen in api.seen]
    assert ours == ["/k8s/clusters/c-abc/api/v1/pods?limit=5", "/k8s/clusters/c-abc/api/v1/nodes", "/k8s/clusters/c-abc/apis/apps/v1"]
    if shutil.which("kubectl"):
        api.seen.clear()
        subprocess.run(["kubectl", "api-versions"], env=world.environ(environ), capture_output=True, timeout=60)
        assert {seen.path.partition("?")[0] for seen in api.seen} >= {"/k8s/clusters/c-abc/api"}


def test_with_nothing_configured_the_old_default_is_tried_and_the_remedy_named(world):
    access = resolve(Overrides(), world.environ({}))
    assert access.server == "http://localhost:8080"
    assert access.origin == ""
    with pytest.raises(CouldNotLook, match=r"localhost:8080 was refused - no kubeconfig was found: set KUBECONFIG"):
        Transport(access, sleep=lambda _: None).get("/api")


@both
def test_a_plugin_is_told_of_the_cluster(send, world, api):
    plugin = '#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" > DIR/told\necho \'{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": {"token": "p"}}\'\n'
    world.write({"plug": plugin})
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "./plug", "provideClusterInfo": True, "interactiveMode": "IfAvailable"}}
    extensions = [{"name": "x", "extension": {}}, {"name": "client.authentication.k8s.io/exec", "extension": {"audience": ["a", 1]}}]
    environ = through(world, api.url, user=user, extensions=extensions, **{"tls-server-name": "localhost", "disable-compression": True})
    assert send(world, api, [], environ) == Sent("Bearer p", server_name="localhost")
    told = json.loads((world.folder / "told").read_text())
    authority = told["spec"]["cluster"].pop("certificate-authority-data")
    assert authority.startswith("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t")
    assert told == {
        "kind": "ExecCredential",
        "apiVersion": "client.authentication.k8s.io/v1",
        "spec": {
            "interactive": False,
            "cluster": {
                "server": api.url,
                "tls-server-name": "localhost",
                "disable-compression": True,
                "config": {"audience": ["a", 1]},
            },
        },
    }


POD = """
mount -t tmpfs none /run && cp -r "$1" /run/secrets && { test -d /var/run/secrets || mount --bind /run /var/run; } || exit 99
shift; exec "$@"
"""


@pytest.fixture
def pod(world, api, certs):
    """A service account's folder and the variables of a pod."""
    world.write({"secrets/kubernetes.io/serviceaccount/token": "sa\n", "secrets/kubernetes.io/serviceaccount/namespace": "mine\n"})
    folder = world.folder / "secrets/kubernetes.io/serviceaccount"
    (folder / "ca.crt").write_bytes((certs / "ca.crt").read_bytes())
    return folder, {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(api.server_port)}


def in_pod(world, api, flags, environ, folder):
    """What kubectl sends in a mount namespace where the service account is at its place."""
    if not shutil.which("kubectl") or not shutil.which("unshare"):
        pytest.skip("kubectl or unshare is not installed")
    api.seen.clear()
    command = ["unshare", "-rm", "sh", "-c", POD, "sh", str(folder.parents[1]), "kubectl", "get", "--raw", "/x", *flags]
    done = subprocess.run(command, env=world.environ(environ), stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    if done.returncode == 99 or b"unshare" in done.stderr:
        pytest.skip("no mount namespaces here")
    found = [facts(seen) for seen in api.seen if "dispatcher" not in seen.one("User-Agent")]
    return found[0] if found else done.stderr.decode()


POD_CASES = {
    "the service account": ([], None, Sent("Bearer sa")),
    "--token": (["--token", "x"], None, Sent("Bearer x")),
    "a kubeconfig that chooses nothing": ([], kubeconfig(current=False), Sent("Bearer sa")),
    "a kubeconfig": ([], kubeconfig(cluster={"server": "SERVER", "insecure-skip-tls-verify": True}), Sent("Bearer t")),
    "a server by flag": (["-s", "SERVER", "--insecure-skip-tls-verify", "--token", "y"], None, Sent("Bearer y")),
    "a context that is not there": (["--context", "x"], None, None),
}


@pytest.mark.parametrize("name", POD_CASES)
@pytest.mark.parametrize("who", ["we", "kubectl"])
def test_in_a_pod(who, name, world, api, pod):
    flags, config, expected = POD_CASES[name]
    folder, environ = pod
    world.replacements["SERVER"] = api.url
    world.write({"config": config} if config else {})
    environ |= {"KUBECONFIG": "DIR/config"}
    if who == "we":
        sent = sent_by_us(world, api, flags, environ, service_account=folder)
    else:
        sent = in_pod(world, api, [world.text(flag) for flag in flags], environ, folder)
    if expected is None:
        assert isinstance(sent, str)
    else:
        assert sent == expected


def test_in_a_pod_flags_count_that_kubectl_loses(world, api, pod):
    """kubectl 1.32 leaves the pod's account for localhost:8080 when --as or a timeout is given; we keep both."""
    folder, environ = pod
    sent = sent_by_us(world, api, ["--as", "bob", "--request-timeout=9"], environ, service_account=folder)
    assert sent == Sent("Bearer sa", (("user", "bob"),))


@pytest.mark.parametrize(
    ("flags", "context", "environ", "namespace"),
    [
        ([], {}, {}, "mine"),
        ([], {}, {"POD_NAMESPACE": "pod"}, "pod"),
        (["-n", "flag"], {}, {"POD_NAMESPACE": "pod"}, "flag"),
        ([], {"namespace": "ctx"}, {}, "ctx"),
        ([], {"namespace": "default"}, {}, "default"),
    ],
)
def test_namespace_in_a_pod(flags, context, environ, namespace, world, pod):
    from engine.sources.access.world import overrides

    folder, of_pod = pod
    world.write({"config": kubeconfig(contexts=[{"name": "c", "context": {"cluster": "c", "user": "c"} | context}])})
    environ = world.environ(of_pod | environ | {"KUBECONFIG": "DIR/config"})
    assert resolve(overrides(flags), environ, service_account=folder).namespace == namespace
    assert resolve(overrides(["--token=t", "-s", "https://x:1"]), {}, service_account=folder).namespace == "default"
