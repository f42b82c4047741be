"""The part of the user's kuberc that reaches plugins: which credential plugins may run (kubectl 1.35 and later)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dscov.errors import BadAccess, BadInput
from dscov.sources.access.fields import Entry, text_of
from dscov.sources.access.files import home
from dscov.sources.access.model import PluginPolicy
from dscov.yamltext.values import read_values

KINDS = ("", "AllowAll", "DenyAll", "Allowlist")


def plugin_policy(explicit: str, environ: Mapping[str, str]) -> PluginPolicy:
    """The policy of `--kuberc`, else of the file in KUBERC, else of ~/.kube/kuberc; KUBERC=off means none.

    Raises BadAccess where a file cannot be read or is at odds with itself: a policy that is not understood must not be
    passed over.
    """
    named = environ.get("KUBERC", "")
    if named == "off" or environ.get("KUBECTL_KUBERC", "").lower() in {"false", "0", "f"}:
        if explicit and named == "off":
            raise BadAccess("--kuberc and KUBERC=off contradict each other")
        return PluginPolicy()
    path = Path(explicit or named or home(environ) / ".kube" / "kuberc")
    try:
        documents = read_values(path.read_text("utf-8"), str(path))
    except FileNotFoundError:
        if explicit or named:
            raise BadAccess(f"the kuberc file {path} does not exist") from None
        return PluginPolicy()
    except (OSError, UnicodeDecodeError):
        raise BadAccess(f"cannot read the kuberc file {path}") from None
    except BadInput as error:
        raise BadAccess(f"cannot read the kuberc file {error}") from None
    found = next((content for content in documents if isinstance(content, dict)), {})
    return _policy(found, str(path))


def _policy(content: Entry, path: str) -> PluginPolicy:
    """The policy in a kuberc's content; entries of the list call the program `command`, in kubectl 1.35 `name`."""
    kind, entries = text_of(content, "credentialPluginPolicy", path), content.get("credentialPluginAllowlist")
    if kind not in KINDS:
        raise BadAccess(f"{path}: credentialPluginPolicy must be one of AllowAll, DenyAll and Allowlist")
    if kind != "Allowlist":
        if entries:
            raise BadAccess(
                f"{path}: credentialPluginAllowlist has no meaning without credentialPluginPolicy: Allowlist"
            )
        return PluginPolicy(kind=kind, path=path)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadAccess(f"{path}: credentialPluginAllowlist is not a list of entries with a command")
    names = tuple(text_of(entry, "command", path) or text_of(entry, "name", path) for entry in entries)
    if not all(names):
        raise BadAccess(f"{path}: credentialPluginAllowlist holds an entry without a command")
    return PluginPolicy(kind=kind, allowed=names, path=path)
