"""A kubeconfig that is spoilt in any way is a BadAccess with words, or still leads somewhere; never a traceback."""

import copy
import json
import random

import pytest

from dscov.errors import BadAccess
from dscov.sources.access import Overrides, resolve
from dscov.yamltext.values import read_values

CONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [
        {
            "name": "c",
            "cluster": {
                "server": "https://h:6443/p",
                "certificate-authority-data": "aGk=",
                "tls-server-name": "x",
                "proxy-url": "http://p:1",
                "disable-compression": True,
                "extensions": [{"name": "client.authentication.k8s.io/exec", "extension": {"a": 1}}],
            },
        }
    ],
    "users": [
        {
            "name": "u",
            "user": {
                "as": "a",
                "as-groups": ["g"],
                "as-uid": "1",
                "as-user-extra": {"k": ["v"]},
                "exec": {
                    "apiVersion": "client.authentication.k8s.io/v1",
                    "command": "x",
                    "args": ["a"],
                    "env": [{"name": "n", "value": "v"}],
                    "interactiveMode": "Never",
                    "provideClusterInfo": True,
                },
            },
        },
        {"name": "other", "user": {"token": "t"}},
    ],
    "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "n"}}],
    "current-context": "x",
}
VALUES = [
    None,
    True,
    0,
    -1.5,
    "",
    "x",
    "\x00",
    "\x1b[31m\n",
    "é" * 5000,
    [],
    [None],
    ["a", 1],
    {},
    {"a": None},
    "//",
    "https://[",
    "=" * 7,
]


def places(value, path=()):
    """The paths of all values inside."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        yield from places(child, (*path, key))


def spoilt(rng: random.Random) -> object:
    config = copy.deepcopy(CONFIG)
    for _ in range(rng.randint(1, 3)):
        path = rng.choice([path for path in places(config) if path])
        holder = config
        for key in path[:-1]:
            holder = holder[key]
        if rng.random() < 0.3:
            del holder[path[-1]]
        else:
            holder[path[-1]] = copy.deepcopy(rng.choice(VALUES))
    return config


def attempt(tmp_path, text: str) -> bool:
    (tmp_path / "config").write_text(text)
    try:
        resolve(Overrides(kubeconfig=str(tmp_path / "config")), {"HOME": str(tmp_path)})
    except BadAccess:
        return False
    return True


def test_the_config_is_sound(tmp_path):
    assert attempt(tmp_path, json.dumps(CONFIG))


@pytest.mark.parametrize("seed", range(4))
def test_spoilt(seed, tmp_path):
    rng = random.Random(seed)
    fine = sum(attempt(tmp_path, json.dumps(spoilt(rng))) for _ in range(250))
    assert 20 < fine < 230


def test_cut_short(tmp_path):
    text = json.dumps(CONFIG, indent=1)
    assert not any(attempt(tmp_path, text[:end]) for end in range(1, len(text) - 2, 17))


@pytest.mark.parametrize(
    "value", ["x", "[1]", "5", "- a", "clusters: 5", "users: [x]", "contexts: [{name: 1}]", "\x00", "a: b: c"]
)
def test_other_contents(value, tmp_path):
    assert not attempt(tmp_path, value)


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "config").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadAccess, match="UTF-8"):
        resolve(Overrides(kubeconfig=str(tmp_path / "config")), {})
    with pytest.raises(BadAccess, match="cannot read the kubeconfig file"):
        resolve(Overrides(kubeconfig=str(tmp_path)), {})
    with pytest.raises(BadAccess, match="cannot read the kubeconfig file"):
        resolve(Overrides(kubeconfig="a\x00b"), {})


def test_the_config_is_json_that_yaml_reads_alike():
    assert read_values(json.dumps(CONFIG)) == [CONFIG]
