"""The policy on credential plugins in the user's kuberc, which kubectl follows from 1.35 on, and so do we."""

import json
import shutil

import pytest
from engine.sources.access.world import kubeconfig

from dscov.errors import BadAccess
from dscov.sources.access import Overrides, resolve
from dscov.sources.access.exec_plugin import run
from dscov.sources.access.kuberc import plugin_policy

ANSWER = json.dumps(
    {"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": {"token": "t"}}
)
PATH = "/usr/local/bin:/usr/bin:/bin"
ECHO = shutil.which("echo", path=PATH)


def policy(**fields) -> dict:
    return {"apiVersion": "kubectl.config.k8s.io/v1beta1", "kind": "Preference"} | fields


def only(*entries) -> dict:
    return policy(credentialPluginPolicy="Allowlist", credentialPluginAllowlist=list(entries))


@pytest.fixture
def granted(tmp_path):
    """Resolve a user whose plugin is `command` under a kuberc, and run the plugin."""

    def attempt(kuberc, command="echo", **more):
        exec_ = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": command,
            "args": [ANSWER],
            "interactiveMode": "Never",
            "installHint": "Get it\nfrom x:  brew install y\n",
        }
        config = kubeconfig(cluster={"server": "https://127.0.0.1:9"}, user={"exec": exec_})
        (tmp_path / "config").write_text(json.dumps(config))
        place = tmp_path / ".kube" / "kuberc"
        place.parent.mkdir()
        place.write_text(kuberc if isinstance(kuberc, str) else json.dumps(kuberc))
        environ = {"HOME": str(tmp_path), "KUBECONFIG": str(tmp_path / "config")} | more
        plugin = resolve(Overrides(), environ).identity.plugin
        return run(plugin, {"PATH": PATH}).token

    return attempt


@pytest.mark.parametrize(
    "kuberc",
    [
        policy(),
        policy(credentialPluginPolicy=""),
        policy(credentialPluginPolicy="AllowAll"),
        only({"command": "echo"}),
        only({"name": "echo"}),
        only({"command": "other"}, {"command": ECHO}),
        policy(aliases=[{"name": "x", "command": "get"}]),
        "",
    ],
)
def test_allowed(kuberc, granted):
    assert granted(kuberc) == "t"


def test_allowed_by_name_for_a_path(granted):
    assert granted(only({"command": "echo"}), command=ECHO) == "t"


@pytest.mark.parametrize(
    "kuberc",
    [policy(credentialPluginPolicy="DenyAll"), only({"command": "other"}), only(), only({"command": "/x/echo"})],
)
def test_denied(kuberc, granted):
    with pytest.raises(BadAccess, match=r"the credential plugin echo may not run: .*kuberc"):
        granted(kuberc)


@pytest.mark.parametrize(
    "kuberc",
    [
        policy(credentialPluginPolicy="allowlist"),
        policy(credentialPluginPolicy="Allowlist"),
        policy(credentialPluginAllowlist=[{"command": "echo"}]),
        only({}),
        only("echo"),
        policy(credentialPluginPolicy=True),
        "{",
    ],
)
def test_a_policy_that_is_not_understood_is_not_passed_over(kuberc, granted):
    with pytest.raises(BadAccess, match="kuberc"):
        granted(kuberc)


def test_a_plugin_that_is_not_there_comes_with_its_hint(granted):
    with pytest.raises(
        BadAccess, match=r"no-such is not installed, or not on the PATH\. Get it from x: brew install y$"
    ):
        granted(policy(), command="no-such")


def test_switched_off(granted):
    assert granted(policy(credentialPluginPolicy="DenyAll"), KUBERC="off") == "t"


def test_switched_off_by_its_feature_gate(granted):
    assert granted(policy(credentialPluginPolicy="DenyAll"), KUBECTL_KUBERC="false") == "t"


def test_places(tmp_path):
    for name, kind in (("flag", "DenyAll"), ("variable", "AllowAll")):
        (tmp_path / name).write_text(json.dumps(policy(credentialPluginPolicy=kind)))
    environ = {"HOME": str(tmp_path), "KUBERC": str(tmp_path / "variable")}
    assert plugin_policy(str(tmp_path / "flag"), environ).kind == "DenyAll"
    assert plugin_policy("", environ).kind == "AllowAll"
    assert plugin_policy("", {"HOME": str(tmp_path)}).kind == ""
    for explicit, variables in ((str(tmp_path / "nope"), {}), ("", {"KUBERC": "nope"}), ("x", {"KUBERC": "off"})):
        with pytest.raises(BadAccess, match=r"does not exist|contradict"):
            plugin_policy(explicit, {"HOME": str(tmp_path)} | variables)
