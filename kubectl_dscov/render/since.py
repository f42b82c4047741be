"""The wording of a timeline: since when there is a gap, and what changed then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dscov import Since, span_text

#: change -> what happened then, with the node and the detail.
_SENTENCES = {
    "node-joined": "{node} joined",
    "daemonset-created": "the DaemonSet was created",
    "template-changed": "the template changed (revision {about})",
    "taint-added": "{node} got the taint {about}",
    "node-condition": "{node} turned {about}",
    "pod-deleted": "{about} was to be gone",
    "pod-not-ready": "{about} stopped being ready",
    "pod-created": "{about} was created",
    "creation-refused": "the creation of pods was refused",
    "first-event": "events tell of it ({about})",
}
_SHORTLY_AFTER = {
    "node-joined": "the node joined",
    "daemonset-created": "the DaemonSet was created",
    "template-changed": "the template changed",
}
#: What only may have begun so long ago is not told in the table.
_LONG = timedelta(days=7)


def sentence(since: Since, now: datetime) -> str:
    """One line, with the texts of the cluster as they are (escape before a terminal sees it); times as the API writes them."""
    what = _SENTENCES[since.change].format(node=since.node, about=since.about)
    after = f", shortly after {_SHORTLY_AFTER[since.after]}" if since.after else ""
    time = since.time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    word, when = ("since", ":") if since.exact else ("not before", ", when")
    return f"{word} {time} ({span_text(now - since.time)}){when} {what}{after}"


def is_news(since: Since, now: datetime) -> bool:
    """Whether it is worth a line of the table."""
    return since.exact or now - since.time < _LONG
