"""The kubelet's part, played by a test: what it writes to nodes, leases and pods.

Only for nodes made with `fake=False`; on the others kwok answers. Each function of a pod returns the pod's status;
`write` stores it.
"""

from __future__ import annotations

import time
from typing import Any

from cluster.api import STRATEGIC_PATCH, Api, ApiRefused, Object
from cluster.objects import node_conditions

LEASES = "kube-node-lease"


def write(api: Api, pod: Object, status: Object) -> Object:
    """Store a pod's status."""
    return api.patch({"kind": "Pod"} | pod, {"status": status}, content=STRATEGIC_PATCH, subresource="status")


def set_conditions(api: Api, name: str, **statuses: str) -> Object:
    """Write node conditions: `set_conditions(api, "n1", Ready="False", DiskPressure="True")`."""
    conditions = [condition | _moment() for condition in node_conditions(statuses)]
    return _node_status(api, name, {"conditions": conditions})


def set_resources(api: Api, name: str, **amounts: str) -> Object:
    """Write a node's capacity and allocatable."""
    return _node_status(api, name, {"capacity": amounts, "allocatable": amounts})


def renew_lease(api: Api, name: str) -> None:
    """Make or renew the node's lease, as a living kubelet does every ten seconds."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())
    spec = {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": moment}
    lease: Object = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": spec}
    lease["metadata"] = {"name": name, "namespace": LEASES}
    try:
        api.patch(lease, {"spec": spec})
    except ApiRefused as refused:
        if refused.status != 404:
            raise
        api.create(lease)


def ready(pod: Object) -> Object:
    """All containers run and are ready."""
    return _started(pod, ready=True, state={"running": _started_at()}) | _conditions(ready="True")


def unready(pod: Object) -> Object:
    """All containers run, the readiness probe fails."""
    return _started(pod, ready=False, state={"running": _started_at()}) | _conditions(
        ready="False", reason="ContainersNotReady"
    )


def crash_loop(pod: Object, restarts: int = 7, *, code: int = 1, message: str = "") -> Object:
    """Every container ended with a code (and last words) and waits for its next start."""
    ended: Object = {"exitCode": code, "reason": "Error", **{key: _now() for key in ("startedAt", "finishedAt")}}
    ended |= {"message": message} if message else {}
    waiting = {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}
    status = _started(pod, ready=False, state={"waiting": waiting}, last={"terminated": ended}, restarts=restarts)
    return status | _conditions(ready="False", reason="ContainersNotReady")


def image_pull(pod: Object, reason: str = "ImagePullBackOff") -> Object:
    """The image cannot be had."""
    waiting = {"reason": reason, "message": f'Back-off pulling image "{_containers(pod)[0]["image"]}"'}
    status = _started(pod, ready=False, state={"waiting": waiting})
    return status | _conditions(ready="False", reason="ContainersNotReady") | {"phase": "Pending"}


def creating(pod: Object) -> Object:
    """The kubelet has the pod and prepares it: volumes, network, sandbox."""
    status = _started(pod, ready=False, state={"waiting": {"reason": "ContainerCreating"}})
    return status | _conditions(ready="False", reason="ContainersNotReady") | {"phase": "Pending"}


def evicted(message: str = "The node was low on resource: memory.") -> Object:
    """The kubelet evicted the pod under node pressure."""
    return {"phase": "Failed", "reason": "Evicted", "message": message, "startTime": _now()}


def rejected(reason: str = "OutOfcpu", message: str = "") -> Object:
    """The kubelet refused the pod at admission: OutOfcpu, NodeAffinity, UnexpectedAdmissionError, ..."""
    words = message or f"Pod was rejected: {reason}"
    return {"phase": "Failed", "reason": reason, "message": words, "startTime": _now()}


def finished() -> Object:
    """Every container ended well, which a daemon should not."""
    return {"phase": "Succeeded", "startTime": _now()}


def _node_status(api: Api, name: str, status: Object) -> Object:
    thing = {"kind": "Node", "metadata": {"name": name}}
    return api.patch(thing, {"status": status}, content=STRATEGIC_PATCH, subresource="status")


def _containers(pod: Object) -> list[Object]:
    containers: list[Object] = pod["spec"]["containers"]
    return containers


def _started(
    pod: Object, *, ready: bool, state: dict[str, Any], last: dict[str, Any] | None = None, restarts: int = 0
) -> Object:
    statuses = [
        {
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "ready": ready,
            "started": "running" in state,
            "restartCount": restarts,
            "state": state,
            "lastState": last or {},
        }
        for container in _containers(pod)
    ]
    return {"phase": "Running", "startTime": _now(), "containerStatuses": statuses}


def _conditions(*, ready: str, reason: str = "") -> Object:
    moment = {"lastTransitionTime": _now()} | ({"reason": reason} if reason else {})
    return {"conditions": [{"type": kind, "status": ready} | moment for kind in ("Ready", "ContainersReady")]}


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _moment() -> Object:
    return {"lastHeartbeatTime": _now(), "lastTransitionTime": _now()}


def _started_at() -> Object:
    return {"startedAt": _now()}
