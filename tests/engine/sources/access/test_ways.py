"""Ways to a server: plain http, a path in front of the API, a plugin that is told of it, nothing configured at all."""

import json
import shutil
import subprocess

import pytest
from engine.sources.access.world import Sent, both, through

from dscov.errors import CouldNotLook
from dscov.sources.access import Overrides, resolve
from dscov.sources.access.transport import Transport


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


def test_a_path_in_front_of_the_api(world, api):
    environ = through(world, f"{api.url}/k8s/clusters/c-abc/")
    with Transport(resolve(Overrides(), world.environ(environ))) as transport:
        transport.get("/api/v1/pods", query={"limit": "5"})
        with transport.stream("/api/v1/nodes"):
            pass
        transport.patch("/apis/apps/v1", b"{}", content_type="application/json-patch+json")
    ours = [seen.path for seen in api.seen]
    assert ours == [
        "/k8s/clusters/c-abc/api/v1/pods?limit=5",
        "/k8s/clusters/c-abc/api/v1/nodes",
        "/k8s/clusters/c-abc/apis/apps/v1",
    ]
    if shutil.which("kubectl"):
        api.seen.clear()
        subprocess.run(
            ["kubectl", "api-versions"], env=world.environ(environ), capture_output=True, timeout=60, check=True
        )
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
    user = {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": "./plug",
            "provideClusterInfo": True,
            "interactiveMode": "IfAvailable",
        }
    }
    extensions = [
        {"name": "x", "extension": {}},
        {"name": "client.authentication.k8s.io/exec", "extension": {"audience": ["a", 1]}},
    ]
    environ = through(
        world,
        api.url,
        user=user,
        extensions=extensions,
        **{"tls-server-name": "localhost", "disable-compression": True},
    )
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
