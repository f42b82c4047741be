"""What a test holds: a cluster, however it was got, and everything the test makes there."""

from __future__ import annotations

import json
import secrets
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cluster.api import Api, ApiRefused, Object, address, wait_until
from cluster.local.kubeconfig import by_token, write_kubeconfig
from cluster.local.plane import ControlPlane

LABEL = "dscov.test/made-by"
RBAC = "rbac.authorization.k8s.io"
LISTED = "nodes,daemonsets,pods,controllerrevisions,events,namespaces,resourcequotas,priorityclasses,runtimeclasses"


@dataclass
class Cluster:
    """One cluster: the administrator's `kubeconfig` and `api`; `plane` only where we run the programs ourselves.

    What is made through `make` and its kin is removed by `clean_up`, in reverse order.
    """

    mode: str
    kubeconfig: Path
    api: Api
    folder: Path
    plane: ControlPlane | None = None
    _made: list[Object] = field(default_factory=list)

    def kubectl(self, *arguments: str, check: bool = True, seconds: float = 120) -> subprocess.CompletedProcess[str]:
        """Run kubectl as the administrator."""
        command = ["kubectl", "--kubeconfig", str(self.kubeconfig), *arguments]
        return subprocess.run(command, check=check, capture_output=True, text=True, timeout=seconds)

    def make(self, thing: Object) -> Object:
        """Create one object that `clean_up` removes."""
        made = self.api.create(thing)
        self._made.append({"apiVersion": thing["apiVersion"], "kind": thing["kind"]} | made)
        return self._made[-1]

    def make_namespace(self, prefix: str = "dscov", labels: dict[str, str] | None = None) -> str:
        """A new namespace with a name of its own, ready to take pods."""
        name = f"{prefix}-{secrets.token_hex(4)}"
        meta = {"name": name, "labels": {LABEL: "tests", **(labels or {})}}
        self.make({"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
        wait_until(lambda: self.exists("ServiceAccount", "default", name), 60, f"a service account in {name}")
        return name

    def exists(self, kind: str, name: str, namespace: str | None = None) -> bool:
        """Whether the object is there; any other answer than yes or 404 is an ApiRefused."""
        try:
            self.api.get(kind, name, namespace)
        except ApiRefused as refused:
            if refused.status == 404:
                return False
            raise
        return True

    def user(self, rules: list[Object], namespace: str | None = None) -> Path:
        """Kubeconfig of a new user with exactly these RBAC rules, in one namespace or (None) in the whole cluster.

        The user is a service account with a token of an hour, in a namespace of its own.
        """
        account = self.account()
        name = account["metadata"]["name"]
        kind = "Role" if namespace else "ClusterRole"
        meta: Object = {"name": name, "labels": {LABEL: "tests"}} | ({"namespace": namespace} if namespace else {})
        self.make({"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": meta, "rules": rules})
        self.make(
            {
                "apiVersion": f"{RBAC}/v1",
                "kind": f"{kind}Binding",
                "metadata": meta,
                "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name},
                "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": account["metadata"]["namespace"]}],
            }
        )
        request = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": 3600},
        }
        answer = self.api.request("POST", address(account, "token"), request)
        return self.user_by_token(name, answer["status"]["token"])

    def expired_user(self, seconds: int = -60) -> Path:
        """Kubeconfig of a user whose token expired a minute ago, or expires `seconds` from now; needs our own plane."""
        if self.plane is None:
            msg = "only --cluster local can sign a token that has expired"
            raise LookupError(msg)
        account = self.account()
        return self.user_by_token(account["metadata"]["name"], self.plane.token(account, seconds))

    def account(self) -> Object:
        """A new service account without rights, in a namespace of its own."""
        namespace = self.make_namespace("dscov-user")
        meta = {"name": f"user-{secrets.token_hex(4)}", "namespace": namespace}
        return self.make({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta})

    def user_by_token(self, name: str, token: str) -> Path:
        """Kubeconfig of whoever the token says, for this cluster."""
        view = self.kubectl("config", "view", "--raw", "--minify", "--flatten", "-o", "json")
        cluster: dict[str, Any] = json.loads(view.stdout)["clusters"][0]["cluster"]
        return write_kubeconfig(self.folder / f"{name}.kubeconfig", cluster=cluster, user=by_token(token), name=name)

    def dump(self, folder: Path) -> Path:
        """Save all that a diagnosis reads, as a person would with kubectl: `cluster.json`, beside it `version.json`."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, arguments in (
            ("cluster.json", ("get", LISTED, "--all-namespaces", "-o", "json")),
            ("version.json", ("version", "-o", "json")),
        ):
            with (folder / name).open("wb") as file:
                command = ["kubectl", "--kubeconfig", str(self.kubeconfig), *arguments]
                subprocess.run(command, check=True, stdout=file, stderr=subprocess.PIPE, timeout=600)
        return folder / "cluster.json"

    def clean_up(self) -> None:
        """Remove everything made here, the last first, and wait until the namespaces have gone."""
        made, self._made = self._made[::-1], []
        for thing in made:
            self.api.delete(thing)
        spaces = [thing["metadata"]["name"] for thing in made if thing["kind"] == "Namespace"]
        wait_until(lambda: not any(self.exists("Namespace", name) for name in spaces), 180, f"the end of {spaces}")
