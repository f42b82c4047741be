"""Why the API server refused a pod: the texts after `Error creating: `, sorted by who refuses.

Rules: plugin/pkg/admission/* and staging/src/k8s.io/{apiserver,pod-security-admission} of Kubernetes v1.36.3, read for
their texts; the sorting is ours.
"""

from __future__ import annotations

import re
from enum import Enum

import msgspec

from dscov.patterns import pattern


class Refuser(Enum):
    """Who refuses, as far as a remedy differs."""

    PRIORITY_QUOTA = "a quota of priority classes"
    QUOTA = "a quota"
    POD_SECURITY = "pod security"
    CONSTRAINT = "security context constraints"
    WEBHOOK = "a webhook"
    ACCOUNT = "the service account"
    ELSE = "admission"


class Denial(msgspec.Struct, frozen=True):
    """A refusal: who refuses, and its text without the pod's name."""

    refuser: Refuser
    text: str


_PREFIXES = pattern(
    r"(\(combined from similar events\): )?(Error creating: )?(Internal error occurred: )?"
    r"(pods? \"[^\"]*\" is (forbidden|invalid): )?"
)

#: In order: a webhook may quote the words of any other.
_FORMS = (
    (
        Refuser.POD_SECURITY,
        pattern(r"violates PodSecurity|webhook \"pod-security|pod ?security ?policy", re.IGNORECASE),
    ),
    (Refuser.WEBHOOK, pattern(r"admission webhook \"|fail(ed|ure)? (calling|to call) webhook|calling webhook \"")),
    (Refuser.CONSTRAINT, pattern(r"security context constraint", re.IGNORECASE)),
    (Refuser.PRIORITY_QUOTA, pattern(r"insufficient quota to match these scopes")),
    (
        Refuser.QUOTA,
        pattern(r"exceeded quota|failed quota|insufficient quota to consume|status unknown for quota|ResourceQuota"),
    ),
    (Refuser.ACCOUNT, pattern(r"service ?account|no API token found", re.IGNORECASE)),
)

_OTHER_WEBHOOK = pattern(r"admission webhook \"(?!pod-security)|(calling|call) webhook \"(?!pod-security)")


def read_denial(message: str) -> Denial:
    """The message of a FailedCreate event."""
    text = message[_PREFIXES.match(message).end() :].strip()  # type: ignore[union-attr]
    if _OTHER_WEBHOOK.search(text):
        return Denial(Refuser.WEBHOOK, text)
    refuser = next((refuser for refuser, form in _FORMS if form.search(text)), Refuser.ELSE)
    return Denial(refuser, text)


def invalid(message: str) -> bool:
    """Whether the pod itself is not valid, whoever looks at it."""
    return bool(re.search(r"pods? \"[^\"]*\" is invalid: ", message, re.IGNORECASE))


def webhook_of(text: str) -> str:
    """The name of the webhook that a text is about, or empty."""
    found = re.search(r"webhook \"([\w.-]+)\"", text)
    return found[1] if found else ""


def webhook_is_down(text: str) -> bool:
    """Whether the webhook could not be asked, rather than said no."""
    return "denied the request" not in text


def quotas_of(text: str) -> tuple[str, ...]:
    """The names of the quotas that a text is about, in order, once each."""
    return tuple(dict.fromkeys(re.findall(r"(?:exceeded|failed|unknown for) quota: ([\w.-]+)", text)))


def missing_account(text: str) -> str:
    """The service account that was not found, or has no token; empty where the text names none."""
    found = re.search(r"service ?account \"?(?:[\w.-]+/)?([\w.-]+)\"?(?: not found)?(?:,|:|$|\s)", text, re.IGNORECASE)
    return found[1] if found else ""


def missing_priority_class(text: str) -> str:
    """The priority class that there is not, or empty."""
    found = re.search(r"no PriorityClass with name (\S+) was found", text)
    return found[1] if found else ""


def security_level(text: str) -> str:
    """The level that a pod violates, such as `baseline:latest`, or empty."""
    found = re.search(r"violates PodSecurity \"?([\w.:-]+)\"?", text)
    return found[1] if found else ""
