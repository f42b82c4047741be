"""Pods that the API server refuses, or whose predecessor does not go; the nodes are all well."""

from __future__ import annotations

from cluster import play
from cluster.api import ApiRefused, Object, collection
from cluster.objects import IMAGE
from cluster.provocations.stage import Provocation, Stage, provocation

CREATION: list[Provocation] = []

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
NAME = "kubernetes.io/metadata.name"
#: The plane that these run on keeps this priority class to namespaces with a quota for it.
GUARDED = "guarded"


def refused_daemonset(stage: Stage, **pod: object) -> None:
    """A DaemonSet for one node that is well, whose pod is refused."""
    stage.node("a")
    stage.daemonset(pod=pod)
    stage.told("FailedCreate", 2)


def quota(stage: Stage, **hard: str) -> None:
    """A quota that the quota controller has taken note of."""
    meta = {"name": "tight", "namespace": stage.name}
    made = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta, "spec": {"hard": hard}}
    stage.create(made)
    stage.wait(
        lambda: "hard" in stage.cluster.api.get("ResourceQuota", "tight", stage.name).get("status", {}), "a quota"
    )


@provocation(CREATION, a="missing gap quota", says="exceeded quota: tight")
def quota_used_up(stage: Stage) -> None:
    quota(stage, pods="0")
    refused_daemonset(stage)


@provocation(CREATION, a="missing gap quota", says="must specify")
def quota_asks_for_an_amount(stage: Stage) -> None:
    quota(stage, **{"requests.cpu": "100"})
    refused_daemonset(stage)


@provocation(CREATION, a="missing gap priority-class-quota", says=GUARDED)
def priority_class_quota(stage: Stage) -> None:
    meta = {"name": GUARDED}
    stage.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": meta, "value": 1000})
    refused_daemonset(stage, priorityClassName=GUARDED)


@provocation(CREATION, a="missing gap pod-security", says="baseline")
def pod_security(stage: Stage) -> None:
    namespace: Object = {"kind": "Namespace", "metadata": {"name": stage.name}}
    level = {"pod-security.kubernetes.io/enforce": "baseline"}
    stage.cluster.api.patch(namespace, {"metadata": {"labels": level}})
    refused_daemonset(stage, hostNetwork=True)


@provocation(CREATION, a="missing gap webhook", says="cannot be asked")
def webhook(stage: Stage) -> None:
    """A webhook that points nowhere, with failurePolicy Fail."""
    hook = {
        "name": "policy.example.com",
        "clientConfig": {"url": "https://127.0.0.1:9/validate"},
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 2,
        "namespaceSelector": {"matchLabels": {NAME: stage.name}},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
    }
    thing = {"metadata": {"name": "policy"}, "webhooks": [hook]}
    stage.post(f"{ADMISSION}/validatingwebhookconfigurations", thing)
    wait_for_refusal(stage)
    refused_daemonset(stage)


def wait_for_refusal(stage: Stage) -> None:
    """The API server learns of a policy some moments after it was made."""

    def refuses() -> bool:
        spec = {"containers": [{"name": "c", "image": IMAGE}]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "probe"}, "spec": spec}
        try:
            stage.cluster.api.request("POST", f"{collection('Pod', stage.name)}?dryRun=All", pod)
        except ApiRefused:
            return True
        return False

    stage.wait(refuses, "a refusal")


@provocation(CREATION, a="missing gap admission-denied", says="maximum cpu usage per Container")
def limit_range(stage: Stage) -> None:
    limit = {"type": "Container", "max": {"cpu": "100m"}}
    meta = {"name": "small", "namespace": stage.name}
    stage.create({"apiVersion": "v1", "kind": "LimitRange", "metadata": meta, "spec": {"limits": [limit]}})
    container = {"name": "agent", "image": IMAGE, "resources": {"limits": {"cpu": "1"}}}
    refused_daemonset(stage, containers=[container])


@provocation(CREATION, a="missing gap admission-denied", says="no pods today")
def admission_policy(stage: Stage) -> None:
    rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]
    policy = {
        "metadata": {"name": "closed"},
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": rules},
            "validations": [{"expression": "false", "message": "no pods today"}],
        },
    }
    match = {"namespaceSelector": {"matchLabels": {NAME: stage.name}}}
    binding = {
        "metadata": {"name": "closed"},
        "spec": {"policyName": "closed", "validationActions": ["Deny"], "matchResources": match},
    }
    stage.post(f"{ADMISSION}/validatingadmissionpolicies", policy)
    stage.post(f"{ADMISSION}/validatingadmissionpolicybindings", binding)
    wait_for_refusal(stage)
    refused_daemonset(stage)


@provocation(CREATION, a="missing gap admission-denied", says="no PriorityClass with name nowhere was found")
def priority_class_missing(stage: Stage) -> None:
    refused_daemonset(stage, priorityClassName="nowhere")


@provocation(CREATION, a="missing gap service-account-missing", says="nobody")
def service_account_missing(stage: Stage) -> None:
    refused_daemonset(stage, serviceAccountName="nobody")


@provocation(CREATION, a="terminating gap predecessor-terminating", says="the kubelet has not ended it")
def predecessor_terminating(stage: Stage) -> None:
    """A kubelet that does not end the pod that was deleted."""
    stage.node("a", fake=False)
    stage.daemonset()
    stage.cluster.api.delete({"kind": "Pod"} | stage.play("a", play.ready))


@provocation(CREATION, a="terminating gap predecessor-terminating", says="finalizers hold it: example.com/keep")
def predecessor_with_finalizer(stage: Stage) -> None:
    stage.node("a")
    stage.daemonset()
    stage.ready("a")
    pod = {"kind": "Pod"} | stage.pod("a")
    stage.cluster.api.patch(pod, {"metadata": {"finalizers": ["example.com/keep"]}})
    stage.cluster.api.delete(pod)
    stage.wait(lambda: "deletionTimestamp" in stage.pods("a")[0]["metadata"], "the deletion")
