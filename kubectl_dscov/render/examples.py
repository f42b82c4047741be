"""What a finding of each cause says, for the pages of the causes: one sentence that was said of a cluster."""

from __future__ import annotations

import re

from dscov import Cause

_SAID = {
    "untolerated-taint": "taint nvidia.com/gpu=present:NoSchedule is not tolerated",
    "startup-taint": (
        "startup taint node.cilium.io/agent-not-ready=true:NoExecute has not been lifted by Cilium when its "
        "agent starts"
    ),
    "stale-readiness-taint": (
        "readiness taint node.cilium.io/agent-not-ready=true:NoExecute is on a node where kube-system/cilium,"
        " which lifts it, is ready"
    ),
    "node-condition-taint": (
        "taint node.kubernetes.io/not-ready:NoSchedule stands for a condition of the node, yet its condition "
        "Ready is True"
    ),
    "toleration-key-typo": (
        "taint capacity=spot:NoSchedule is not tolerated; the toleration of capactiy looks like a slip of the pen"
    ),
    "toleration-value-mismatch": (
        "taint nvidia.com/gpu=present:NoSchedule is not met by the toleration nvidia.com/gpu=true:NoSchedule:"
        " the value differs"
    ),
    "toleration-effect-mismatch": (
        "taint dedicated=db:NoExecute is not met by the toleration dedicated=db:NoSchedule: the effect differs"
    ),
    "toleration-seconds-churn": (
        "taint maintenance=firmware:NoExecute is tolerated for 60 s only: the pod is evicted and made anew, for ever"
    ),
    "node-selector-no-match": "the nodeSelector asks for disk=ssd",
    "node-selector-value-mismatch": 'the nodeSelector asks for accelerator="nvidia", nodes have accelerator="NVIDIA"',
    "node-label-missing": (
        "the label example.com/csi=true is missing; its pool eks.amazonaws.com/nodegroup=general has it (e.g."
        " general-01)"
    ),
    "node-affinity-no-match": (
        "the node affinity asks for node.kubernetes.io/instance-type in (g5.8xlarge,p5.48xlarge)"
    ),
    "node-affinity-excludes": (
        "the node affinity excludes eks.amazonaws.com/compute-type=fargate (eks.amazonaws.com/compute-type "
        "notin (auto,fargate))"
    ),
    "affinity-gt-not-integer": "operator Gt needs an integer, not '16Gi' (memory)",
    "affinity-terms-ored": "zone notin (lab) does not keep the pod away from zone=lab: another term lets the node in",
    "project-node-selector": "the project logging asks for role in (worker)",
    "template-node-name": "the template's nodeName is general-01",
    "toleration-without-selector": (
        "nvidia.com/gpu is tolerated, and nothing selects it: it crashes where nvidia.com/gpu.present=true is not"
    ),
    "wrong-nodes": "it crashes on exactly the nodes without nvidia.com/gpu.present=true",
    "unwanted-target": "a virtual node cannot run daemon pods, but the template is let in",
    "quota": "no pod is made: exceeded quota: agents, requested: pods=1, used: pods=7, limited: pods=7",
    "priority-class-quota": (
        "no pod is made: namespace tools has no quota that admits priority class system-node-critical "
        "(insufficient quota to match these scopes: [{PriorityClass In [system-node-critical "
        "system-cluster-critical]}])"
    ),
    "pod-security": (
        'no pod is made, level baseline:latest: violates PodSecurity "baseline:latest": host namespaces '
        "(hostNetwork=true)"
    ),
    "security-context-constraint": (
        "no pod is made: service account agent may use no constraint that fits: unable to validate against "
        'any security context constraint: [provider "anyuid": Forbidden: not usable by user or '
        "serviceaccount]"
    ),
    "webhook": (
        "no pod is made: webhook validation.gatekeeper.sh refuses: admission webhook "
        '"validation.gatekeeper.sh" denied the request: [no-host-path] hostPath is not allowed'
    ),
    "service-account-missing": (
        'no pod is made: error looking up service account logging/agent: serviceaccount "agent" not found'
    ),
    "admission-denied": "no pod is made: maximum cpu usage per Container is 1, but limit is 2",
    "controller-pending": "the controller has seen generation 2 of 3",
    "controller-not-running": (
        "kube-controller-manager does not work: its lease was last renewed at 2026-05-12T02:30:00Z"
    ),
    "predecessor-terminating": (
        "pod agent-h6hbf is being deleted since 2026-05-11T11:30:00Z and its successor waits: the kubelet has"
        " not ended it"
    ),
    "insufficient-resources": (
        "cpu: the pod asks for 300m, 100m of 4 is free; held by ReplicaSet shop/checkout (1 pod, 3900m, priority 1000)"
    ),
    "too-many-pods": (
        "the node may have 3 pods and has 3: ReplicaSet shop/checkout (2 pods, priority 0), DaemonSet "
        "kube-system/kube-proxy (1 pod, priority 2000001000)"
    ),
    "host-port-conflict": "host port 9100/TCP is held by ReplicaSet legacy/metrics-gateway-8r94mf9sq",
    "volume-attach": "node(s) had volume node affinity conflict (claims: data)",
    "pod-anti-affinity": (
        "anti-affinity to app in (db) over kubernetes.io/hostname keeps the pod off the node: ReplicaSet shop/db"
    ),
    "namespace-selector-not-in-template": (
        "pods get the node selector realm=test from annotation scheduler.alpha.kubernetes.io/node-selector of"
        " namespace tools; the template lacks it, so the pod here waits for ever"
    ),
    "runtimeclass-selector-not-in-template": (
        "RuntimeClass sandbox adds the node selector sandbox=on; the template lacks it, so the pod waits for ever"
    ),
    "scheduler-absent": "scheduler binpacker does not take up the pod: no condition and no event tells of a try",
    "scheduler-stale": (
        "it counts 2 nodes where there are 3: 0/2 nodes are available: 2 node(s) didn't match Pod's node affinity."
    ),
    "scheduling-gated": "the pod waits for its scheduling gates to be lifted: kueue.x-k8s.io/admission",
    "preempted": "the daemon's pod was preempted by ReplicaSet shop/checkout",
    "unschedulable": "the scheduler refuses the node: the pod is not tried before its resource claims exist: gpus",
    "kubelet-rejected": "the kubelet refuses the pod, OutOfcpu: the node is out of cpu",
    "kubelet-rejected-transient": (
        "the kubelet refused the pod (NodeShutdown: the node was shutting down), which holds no more"
    ),
    "evicted": "the kubelet evicts the pod: the node had DiskPressure and still has DiskPressure",
    "volume-mount": (
        "volume plugins cannot be mounted: hostPath type check failed: /var/lib/kubelet/plugins is not a directory"
    ),
    "image-pull": (
        "the image cannot be had, the registry limits pulls: registry.example.com/agent:2 ImagePullBackOff: "
        "toomanyrequests: You have reached your pull rate limit"
    ),
    "image-architecture": "the image is not for arm64: exec format error; it runs on amd64",
    "image-os": "the image is for linux, the node runs windows",
    "config-missing": 'configmap "agent" not found',
    "sandbox-failed": 'the pod has not got to its first container: no runtime for "kata" is configured',
    "init-crash-loop": "init container setup keeps failing: exit code 127, its command is not found",
    "init-waiting": (
        "init container driver-validation waits for gpu-operator/gpu-driver, which has no ready pod on the node"
    ),
    "crash-loop": "container agent keeps ending: exit code 1 (cannot read config)",
    "readiness-failing": (
        "profiler runs and is not ready: Readiness probe failed: HTTP probe failed with statuscode: 503"
    ),
    "waiting-min-ready-seconds": "the pod is ready, but not yet for the 600 s that minReadySeconds asks for",
    "node-lost": (
        "the node's kubelet has stopped reporting; it has dropped out of DESIRED, so the counters do not show it"
    ),
    "node-not-ready": "the node is not ready: PLEG is not healthy",
    "node-starting": "the node has just joined and is not ready yet",
    "node-leaving": "the node is going away: ToBeDeletedByClusterAutoscaler, put by the cluster autoscaler",
    "unsupported-node": "the node runs windows, the daemon is for linux, yet nothing keeps it away",
    "rollout-blocked": "18 old pods wait: maxUnavailable 1 is used up by general-07 (its node does not report)",
    "on-delete-outdated": "updateStrategy is OnDelete: 1 of 3 pods are of the current template",
    "surge-host-port": "maxSurge 1 with host ports 9100/TCP: the next rollout will stand still",
    "misscheduled": "a pod is there although the node is not eligible: taint dedicated=db:NoSchedule",
    "misscheduled-at-risk": (
        "the pod will not come back once it goes: the next rollout, eviction or failure removes the pod, and "
        "no other is made (taint dedicated=db:NoSchedule)"
    ),
    "misscheduled-transient": (
        "the pod counts as misscheduled for a while: the taint is lifted when the node is well again"
    ),
    "duplicate-pods": "several live pods of its own on one node",
    "selector-overlap": "its selector overlaps with that of agent, which does no harm: pods go by their owner",
    "stale-counters": "the status says numberReady 0, computed 1: stale, or the pods changed between the reads",
    "unexplained": "the controller has made no pod, and no event and no object that was read says why",
}


def example(cause: Cause) -> str:
    """The sentence of a finding of that cause; where none is at hand, its pattern with <words> for the facts."""
    return _SAID.get(cause.slug) or re.sub(r"\{(\w+)\}", r"<\1>", cause.says)
