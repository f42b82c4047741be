"""What a pod asks for: init containers, sidecars, overhead, pod-level resources, and resizes of bound pods.

Amounts are whole nano-units (quantities.py). Pods are plain API objects, as read from JSON.
Rules: k8s.io/component-helpers resource/helpers.go v0.36.3 and v0.37.2, asked as pkg/scheduler/framework/types.go
of Kubernetes v1.36.3 and v1.37.2 asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal

from dscov.kube.objects import Object, listed, part
from dscov.kube.quantities import nanos, to_decimal
from dscov.kube.versions import NEWEST, KubernetesVersion, parse_version

Amounts = dict[str, int]
#: From a container's spec and its status (empty where there is none) to what it asks for.
Ask = Callable[[Object, Object], Amounts]


def pod_requests(pod: Object) -> dict[str, Decimal]:
    """What a pod that is not bound asks for, by its spec alone: {resource: exact number}; cpu in cores, memory in bytes.

    ValueError where a quantity cannot be read.
    """
    return _decimals(requested(pod))


def requests_on_node(pod: Object, kubernetes: str = "1.37") -> dict[str, Decimal]:
    """What the scheduler of that Kubernetes version counts for a pod bound to a node: {resource: exact number}.

    From 1.33 the statuses of containers matter, from 1.36 those of the pod, and 1.37 counts anew.
    ValueError where a quantity or the version cannot be read.
    """
    return _decimals(occupied(pod, parse_version(kubernetes)))


def requested(pod: Object, version: KubernetesVersion = NEWEST) -> Amounts:
    """`pod_requests` in nano-units."""
    amounts = _pod_sum(pod, _asked_by_spec, version)
    if version.pod_level_resources:
        amounts.update(_pod_level(part(pod, "spec", "resources", "requests")))
    return _plus(amounts, _read(part(pod, "spec", "overhead")))


def occupied(pod: Object, version: KubernetesVersion = NEWEST) -> Amounts:
    """`requests_on_node` in nano-units."""
    if not version.in_place_resize:
        return requested(pod, version)
    infeasible = _resize_infeasible(pod)
    amounts = (_greatest_sum if version.aggregates_pod_sums else _sum_of_greatest)(pod, infeasible, version)
    if version.pod_level_resources:
        amounts.update(_resized_pod_level(pod, infeasible, version))
    return _plus(amounts, _read(part(pod, "spec", "overhead")))


def _sum_of_greatest(pod: Object, infeasible: bool, version: KubernetesVersion) -> Amounts:
    """Through 1.36: per container or sidecar with status.resources the greatest of spec, actuated and allocated."""

    def ask(container: Object, status: Object) -> Amounts:
        if status.get("resources") is None:
            return _read(_requests(container))
        spec = {} if infeasible else _requests(container)
        return _greatest(_read(_requests(status)), _read(part(status, "allocatedResources")), _read(spec))

    return _pod_sum(pod, ask, version, plain_init_statuses=False)


def _greatest_sum(pod: Object, infeasible: bool, version: KubernetesVersion) -> Amounts:
    """Since 1.37: the greatest of three sums over the whole pod; where a resize is infeasible, of the last two."""

    def allocated(container: Object, status: Object) -> Amounts:
        mine = status.get("allocatedResources")
        return _read(mine if mine is not None or infeasible else _requests(container))

    def actuated(container: Object, status: Object) -> Amounts:
        mine = part(status, "resources").get("requests")
        return _read(mine) if mine is not None else allocated(container, status)

    status = part(pod, "status")
    whole = status.get("allocatedResources"), part(status, "resources").get("requests")
    if version.pod_level_resize and None not in whole:
        sums = [_read(one) for one in whole]
    else:
        sums = [_pod_sum(pod, ask, version) for ask in (allocated, actuated)]
    if not infeasible:
        sums.append(_pod_sum(pod, _asked_by_spec, version))
    return _greatest(*sums)


def _pod_sum(pod: Object, ask: Ask, version: KubernetesVersion, *, plain_init_statuses: bool = True) -> Amounts:
    """The sum over containers and sidecars, or the peak while init containers run, whichever is greater, per resource."""
    statuses = _statuses(pod)
    total: Amounts = {}
    for container in listed(pod, "spec", "containers"):
        _plus(total, ask(container, statuses.get(container.get("name", ""), {})))
    sidecars: Amounts = {}
    peak: Amounts = {}
    for container in listed(pod, "spec", "initContainers"):
        sidecar = container.get("restartPolicy") == "Always" and version.sidecars
        known = sidecar or plain_init_statuses
        amounts = ask(container, statuses.get(container.get("name", ""), {}) if known else {})
        if sidecar:
            _plus(total, amounts)
            _plus(sidecars, amounts)
            amounts = sidecars
        else:
            amounts = _plus(dict(amounts), sidecars)
        peak = _greatest(peak, amounts)
    return _greatest(total, peak)


def _resized_pod_level(pod: Object, infeasible: bool, version: KubernetesVersion) -> Amounts:
    spec = _pod_level(part(pod, "spec", "resources", "requests"))
    if not spec or part(pod, "status").get("resources") is None or not version.pod_level_resize:
        return spec
    parts = part(pod, "status", "resources", "requests"), part(pod, "status", "allocatedResources")
    effective = _greatest({} if infeasible else spec, *map(_pod_level, parts))
    if version.aggregates_pod_sums:
        return effective
    return {name: effective.get(name, 0) for name in spec}


def _pod_level(amounts: Object | None) -> Amounts:
    """Those resources that a pod may ask for as a whole: cpu, memory and huge pages."""
    return {name: n for name, n in _read(amounts).items() if name in {"cpu", "memory"} or name.startswith("hugepages-")}


def _resize_infeasible(pod: Object) -> bool:
    pending = (c for c in listed(pod, "status", "conditions") if c.get("type") == "PodResizePending")
    return next((c.get("reason") == "Infeasible" for c in pending), False)


def _statuses(pod: Object) -> dict[str, Object]:
    """The status of each container by its name; the first of a name counts, app containers before init containers."""
    found: dict[str, Object] = {}
    for kind in ("containerStatuses", "initContainerStatuses"):
        for status in listed(pod, "status", kind):
            found.setdefault(status.get("name", ""), status)
    return found


def _asked_by_spec(container: Object, _: Object) -> Amounts:
    return _read(_requests(container))


def _requests(container: Object) -> Object:
    return part(container, "resources", "requests")


def _read(amounts: Object | None) -> Amounts:
    return {name: nanos(n) if isinstance(n, str) else nanos(str(n)) for name, n in (amounts or {}).items()}


def _plus(total: Amounts, amounts: Amounts) -> Amounts:
    for name, n in amounts.items():
        total[name] = total.get(name, 0) + n
    return total


def _greatest(*many: Amounts) -> Amounts:
    names: Iterable[str] = {name: None for amounts in many for name in amounts}
    return {name: max(amounts[name] for amounts in many if name in amounts) for name in names}


def _decimals(amounts: Amounts) -> dict[str, Decimal]:
    return {name: to_decimal(n) for name, n in amounts.items()}
