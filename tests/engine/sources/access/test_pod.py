"""In a pod the service account leads to the cluster, in the cases where it does for kubectl, and under the flags."""

import shutil
import subprocess

import pytest
from engine.sources.access.world import Sent, facts, kubeconfig, overrides, sent_by_us

from dscov.sources.access import resolve

POD = """
mount -t tmpfs none /run && cp -r "$1" /run/secrets || exit 99
test -d /var/run/secrets || mount --bind /run /var/run || exit 99
shift; exec "$@"
"""


@pytest.fixture
def pod(world, api, certs):
    """A service account's folder and the variables of a pod."""
    world.write(
        {
            "secrets/kubernetes.io/serviceaccount/token": "sa\n",
            "secrets/kubernetes.io/serviceaccount/namespace": "mine\n",
        }
    )
    folder = world.folder / "secrets/kubernetes.io/serviceaccount"
    (folder / "ca.crt").write_bytes((certs / "ca.crt").read_bytes())
    return folder, {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(api.server_port)}


def in_pod(world, api, flags, environ, folder):
    """What kubectl sends in a mount namespace where the service account is at its place."""
    if not shutil.which("kubectl") or not shutil.which("unshare"):
        pytest.skip("kubectl or unshare is not installed")
    api.seen.clear()
    command = ["unshare", "-rm", "sh", "-c", POD, "sh", str(folder.parents[1]), "kubectl", "get", "--raw", "/x", *flags]
    done = subprocess.run(
        command, env=world.environ(environ), stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
    )
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
    folder, of_pod = pod
    world.write({"config": kubeconfig(contexts=[{"name": "c", "context": {"cluster": "c", "user": "c"} | context}])})
    environ = world.environ(of_pod | environ | {"KUBECONFIG": "DIR/config"})
    assert resolve(overrides(flags), environ, service_account=folder).namespace == namespace
    assert resolve(overrides(["--token=t", "-s", "https://x:1"]), {}, service_account=folder).namespace == "default"
