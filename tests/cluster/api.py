"""The API server as plain dictionaries, through the official Python client, many requests at once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from kubernetes import client, config

from cluster.local.processes import ClusterError

Object = dict[str, Any]
In = TypeVar("In")
Out = TypeVar("Out")

THREADS = 16
TIMEOUT_SECONDS = 120
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"

# kind -> (prefix of the group's URL, plural, namespaced)
KINDS: dict[str, tuple[str, str, bool]] = {
    "ClusterRole": ("/apis/rbac.authorization.k8s.io/v1", "clusterroles", False),
    "ClusterRoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", False),
    "ConfigMap": ("/api/v1", "configmaps", True),
    "ControllerRevision": ("/apis/apps/v1", "controllerrevisions", True),
    "DaemonSet": ("/apis/apps/v1", "daemonsets", True),
    "Deployment": ("/apis/apps/v1", "deployments", True),
    "Event": ("/api/v1", "events", True),
    "Lease": ("/apis/coordination.k8s.io/v1", "leases", True),
    "LimitRange": ("/api/v1", "limitranges", True),
    "Namespace": ("/api/v1", "namespaces", False),
    "Node": ("/api/v1", "nodes", False),
    "PersistentVolumeClaim": ("/api/v1", "persistentvolumeclaims", True),
    "Pod": ("/api/v1", "pods", True),
    "PriorityClass": ("/apis/scheduling.k8s.io/v1", "priorityclasses", False),
    "ResourceQuota": ("/api/v1", "resourcequotas", True),
    "Role": ("/apis/rbac.authorization.k8s.io/v1", "roles", True),
    "RoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "rolebindings", True),
    "RuntimeClass": ("/apis/node.k8s.io/v1", "runtimeclasses", False),
    "Secret": ("/api/v1", "secrets", True),
    "ServiceAccount": ("/api/v1", "serviceaccounts", True),
}


class ApiRefused(RuntimeError):
    """The API server answered with an error: `status` is the HTTP code, `message` its own words."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


@dataclass(frozen=True)
class Refusal:
    """An object that the API server did not take, and why."""

    object: Object
    status: int
    message: str


Objects = list[Object]
Refusals = list[Refusal]


class Api:
    """One user of one API server."""

    def __init__(self, kubeconfig: Path, context: str | None = None) -> None:
        settings = client.Configuration()
        load: Any = config.load_kube_config
        load(str(kubeconfig), context=context, client_configuration=settings)
        settings.connection_pool_maxsize = THREADS
        self._client = client.ApiClient(settings)
        self._server = settings.host

    def close(self) -> None:
        """Close the connections."""
        self._client.rest_client.close()

    def raw(self, method: str, path: str, body: object = None, *, content: str = "application/json") -> bytes:
        """One request; the body of the answer, or ApiRefused."""
        headers = {"Accept": "application/json", "Content-Type": content}
        self._client.update_params_for_auth(headers, [], ["BearerToken"], path, method, body)
        answer: Any = self._client.call_api(
            method, self._server + path, headers, body, _request_timeout=TIMEOUT_SECONDS
        )
        data: bytes = answer.read()
        if answer.status >= 400:
            raise ApiRefused(answer.status, _message(data))
        return data

    def request(self, method: str, path: str, body: object = None, *, content: str = "application/json") -> Object:
        """One request; the answer as a dictionary, or ApiRefused."""
        answer: Object = json.loads(self.raw(method, path, body, content=content))
        return answer

    def get(self, kind: str, name: str, namespace: str | None = None) -> Object:
        """One object; ApiRefused with status 404 if it is not there."""
        return self.request("GET", path_of(kind, name, namespace))

    def list(self, kind: str, namespace: str | None = None, **query: str) -> Objects:
        """All objects of a kind, with `apiVersion` and `kind` filled in as kubectl does."""
        path = collection(kind, namespace) + (f"?{urlencode(query)}" if query else "")
        answer = self.request("GET", path)
        version = answer["apiVersion"]
        return [{"apiVersion": version, "kind": kind} | item for item in answer["items"]]

    def create(self, thing: Object) -> Object:
        """Create one object."""
        return self.request("POST", collection(thing["kind"], thing["metadata"].get("namespace")), thing)

    def create_all(self, things: Iterable[Object]) -> Refusals:
        """Create many objects at once; those that the API server refused, with its reason, in the order given."""

        def attempt(thing: Object) -> Refusal | None:
            try:
                self.create(thing)
            except ApiRefused as refused:
                return Refusal(thing, refused.status, refused.message)
            return None

        return [refusal for refusal in at_once(attempt, things) if refusal is not None]

    def patch(self, thing: Object, change: object, *, content: str = MERGE_PATCH, subresource: str = "") -> Object:
        """Patch the object that `thing` names, or a subresource of it such as `status`."""
        return self.request("PATCH", address(thing, subresource), change, content=content)

    def delete(self, thing: Object, *, now: bool = False) -> None:
        """Delete the object that `thing` names, `now` without a grace period; no error if it has gone."""
        body = {"gracePeriodSeconds": 0} if now else None
        try:
            self.raw("DELETE", address(thing), body)
        except ApiRefused as refused:
            if refused.status != 404:
                raise

    def delete_all(self, things: Iterable[Object], *, now: bool = False) -> None:
        """Delete many objects at once."""
        at_once(lambda thing: self.delete(thing, now=now), things)


def at_once(function: Callable[[In], Out], things: Iterable[In]) -> list[Out]:
    """Call `function` for all things in a few threads; results in the order of the things."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(function, things))


def wait_until(reached: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait until `reached` is true; ClusterError that says `what` did not happen otherwise."""
    deadline = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > deadline:
            raise ClusterError(f"after {seconds:.0f} s: {what} did not happen")
        time.sleep(0.1)


def collection(kind: str, namespace: str | None = None) -> str:
    """URL path of all objects of a kind, in one namespace if given."""
    prefix, plural, namespaced = KINDS[kind]
    return f"{prefix}/namespaces/{namespace}/{plural}" if namespaced and namespace else f"{prefix}/{plural}"


def path_of(kind: str, name: str, namespace: str | None = None) -> str:
    """URL path of one object."""
    return f"{collection(kind, namespace)}/{name}"


def address(thing: Object, subresource: str = "") -> str:
    """URL path of the object that `thing` names, or of a subresource."""
    meta = thing["metadata"]
    path = path_of(thing["kind"], meta["name"], meta.get("namespace"))
    return f"{path}/{subresource}" if subresource else path


def _message(data: bytes) -> str:
    try:
        return str(json.loads(data)["message"])
    except (ValueError, KeyError, TypeError):
        return data.decode(errors="replace").strip()
