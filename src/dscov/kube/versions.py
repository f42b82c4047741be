"""What a Kubernetes version means for the rules: one frozen record, made from the text of `/version`."""

from __future__ import annotations

import re

import msgspec

from dscov.patterns import pattern

_FORM = pattern(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,6}))?", re.ASCII)


class KubernetesVersion(msgspec.Struct, frozen=True, order=True):
    """Major, minor and patch of a server; suffixes of managed forks (`-gke.1`, `+k3s1`) are dropped."""

    major: int = 1
    minor: int = 37
    patch: int = 99

    @property
    def ignores_finished_deleting_pods(self) -> bool:
        """Since 1.26 a terminal pod that waits for its finalizers is in no list of the controller."""
        return self >= KubernetesVersion(1, 26, 0)

    @property
    def availability_inclusive(self) -> bool:
        """Since 1.34 a pod is available at exactly minReadySeconds after it became ready, before that one tick later."""
        return self >= KubernetesVersion(1, 34, 0)

    @property
    def budget_counts_unavailable_old_pods(self) -> bool:
        """Since 1.28 (late patches; all of 1.31) a rollout counts old pods that are not available against its budget."""
        return self >= KubernetesVersion(1, 28, 0)

    @property
    def node_updates_may_be_skipped(self) -> bool:
        """Since 1.33 a change of a node's labels or taints does not always refresh the counters."""
        return self >= KubernetesVersion(1, 33, 0)

    @property
    def sidecars(self) -> bool:
        """Since 1.28 an init container with restartPolicy Always is a sidecar."""
        return self >= KubernetesVersion(1, 28, 0)

    @property
    def in_place_resize(self) -> bool:
        """Since 1.33 the scheduler reads container statuses for what a bound pod takes."""
        return self >= KubernetesVersion(1, 33, 0)

    @property
    def pod_level_resources(self) -> bool:
        """Since 1.34 `spec.resources` of a pod is honoured by default."""
        return self >= KubernetesVersion(1, 34, 0)

    @property
    def pod_level_resize(self) -> bool:
        """Since 1.36 the status of pod-level resources is honoured by default."""
        return self >= KubernetesVersion(1, 36, 0)

    @property
    def aggregates_pod_sums(self) -> bool:
        """Since 1.37 what a bound pod takes is the greatest of three sums over the pod, not a sum of greatest."""
        return self >= KubernetesVersion(1, 37, 0)

    def __str__(self) -> str:
        """`v1.37`, with the patch where it was known."""
        return f"v{self.major}.{self.minor}" + (f".{self.patch}" if self.patch != NEWEST.patch else "")


#: The newest rules that are restated here; also taken where the version is not known, and said so.
NEWEST = KubernetesVersion()


def parse_version(text: str) -> KubernetesVersion:
    """The version in a text like `v1.31.4-gke.1`, `1.36` or `1.37+`; ValueError where there is none.

    A missing patch reads as a late one.
    """
    found = _FORM.match(text)
    if not found:
        raise ValueError(f"{text[:60]!r} is not a Kubernetes version such as v1.36.3")
    return KubernetesVersion(int(found[1]), int(found[2]), int(found[3]) if found[3] else NEWEST.patch)
