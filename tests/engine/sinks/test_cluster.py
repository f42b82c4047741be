"""Guarded writes: what each answer of a server comes to. The server is played here; a real one is in tests/cluster."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest
from engine.build import daemonset
from engine.eligibility import LIST

from dscov.errors import CouldNotLook, NotVerified, Refused, Stale
from dscov.patches.guard import guarded, restoring
from dscov.sinks.cluster import ATTEMPTS, Writer, check_kept, check_same
from dscov.sources.access.transport import Response

Json = dict[str, Any]
EXISTS = {"key": "gpu", "operator": "Exists"}
ADD = [{"op": "add", "path": LIST, "value": [EXISTS]}]


def stored(version: str = "7", **more: Any) -> Json:
    return daemonset(metadata={"resourceVersion": version, **more})


def after(obj: Json) -> Json:
    done = copy.deepcopy(obj)
    done["spec"]["template"]["spec"]["tolerations"] = [EXISTS]
    return done


def answer(status: int, body: Any) -> Response:
    return Response(status, {}, json.dumps(body).encode())


class Played:
    """A server of one DaemonSet, which answers as its script says and counts what it was asked."""

    def __init__(
        self, obj: Json, *script: Response | Exception, reads: list[Response | Exception] | None = None
    ) -> None:
        self.obj, self.script, self.reads = obj, list(script), reads
        self.asked: list[tuple[str, Mapping[str, str]]] = []
        self.bodies: list[Any] = []

    def get(self, path: str, **_: Any) -> Response:
        self.asked.append((path, {}))
        found = self.reads.pop(0) if self.reads else answer(200, self.obj)
        if isinstance(found, Exception):
            raise found
        return found

    def patch(self, path: str, body: bytes, *, query: Mapping[str, str], content_type: str) -> Response:
        assert content_type == "application/json-patch+json"
        self.asked.append((path, query))
        self.bodies.append(json.loads(body))
        found = self.script.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


def writer(played: Played) -> Writer:
    return Writer(played)  # type: ignore[arg-type]


INVALID = answer(422, {"message": "the server rejected our request due to an error in our request"})
CONFLICT = answer(409, {"message": "the object has been modified"})


def test_a_write_is_guarded_and_owned() -> None:
    obj = stored()
    played = Played(obj, answer(200, after(obj)))
    assert writer(played).write(obj, ADD, expected=after(obj)) == after(obj)
    ((path, query),) = played.asked
    assert path == "/apis/apps/v1/namespaces/system/daemonsets/agent"
    assert query == {"fieldManager": "kubectl-dscov", "fieldValidation": "Strict"}
    assert played.bodies == [
        [
            {"op": "test", "path": "/metadata/uid", "value": "uid-system-agent"},
            {"op": "test", "path": "/metadata/resourceVersion", "value": "7"},
            {"op": "test", "path": LIST, "value": None},
            *ADD,
        ]
    ]


def test_a_try_stores_nothing() -> None:
    obj = stored()
    played = Played(obj, answer(200, after(obj)))
    assert writer(played).try_out(obj, ADD) == after(obj)
    assert played.asked[0][1]["dryRun"] == "All"


@pytest.mark.parametrize("refusal", [INVALID, CONFLICT])
def test_a_change_of_status_alone_is_no_conflict(refusal: Response) -> None:
    obj, now = stored(), stored("8")
    now["status"]["numberReady"] = 3
    played = Played(now, refusal, answer(200, after(now)))
    assert writer(played).write(obj, ADD, expected=after(obj)) == after(now)
    assert played.bodies[1][1] == {"op": "test", "path": "/metadata/resourceVersion", "value": "8"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda obj: obj["spec"].update(minReadySeconds=9), "was changed since it was read"),
        (lambda obj: obj["metadata"].update(uid="other"), "deleted and made anew"),
        (lambda obj: obj["metadata"].update(deletionTimestamp="2026-05-12T09:30:00Z"), "is being deleted"),
        (lambda obj: obj["metadata"].update(labels={"app": "x"}), "other labels, annotations or owners"),
        (lambda obj: obj["metadata"].update(ownerReferences=[{"kind": "X"}]), "other labels, annotations or owners"),
    ],
)
def test_a_second_writer_is_never_overwritten(change: Any, said: str) -> None:
    obj, now = stored(), stored("8")
    change(now)
    played = Played(now, INVALID)
    with pytest.raises(Stale, match=said):
        writer(played).write(obj, ADD, expected=after(obj))
    assert len(played.bodies) == 1


def test_an_object_that_is_gone() -> None:
    with pytest.raises(Stale, match="is gone"):
        writer(Played({}, INVALID, reads=[answer(404, {})])).write(stored(), ADD, expected={})


def test_an_object_that_never_rests() -> None:
    reads: list[Response | Exception] = [answer(200, stored(str(number))) for number in range(8, 30)]
    played = Played({}, *[CONFLICT] * ATTEMPTS, reads=reads)
    with pytest.raises(Stale, match="changes all the time"):
        writer(played).write(stored(), ADD, expected={})
    assert len(played.bodies) == ATTEMPTS


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (answer(403, {"message": 'User "x" cannot patch resource "daemonsets"'}), "you may not patch it"),
        (answer(403, {"message": "admission webhook says no"}), "refuses the patch: admission webhook says no"),
        (INVALID, "the server rejected our request"),
        (Response(500, {}, b"<html>"), "HTTP 500"),
    ],
)
def test_a_refusal_says_why(given: Response, said: str) -> None:
    with pytest.raises(Refused, match=said):
        writer(Played(stored(), given)).try_out(stored(), ADD)


GONE = CouldNotLook("the connection broke")


def test_silence_after_which_it_was_stored() -> None:
    obj = stored()
    assert writer(Played(after(obj), GONE)).write(obj, ADD, expected=after(obj)) == after(obj)


def test_silence_after_which_it_was_not_stored() -> None:
    obj = stored()
    with pytest.raises(CouldNotLook, match="was not stored"):
        writer(Played(obj, GONE)).write(obj, ADD, expected=after(obj))


def test_silence_that_lasts() -> None:
    obj = stored()
    with pytest.raises(NotVerified, match="it is not known whether the patch was stored"):
        writer(Played(obj, GONE, reads=[CouldNotLook("refused")])).write(obj, ADD, expected=after(obj))


def test_silence_in_which_somebody_else_wrote() -> None:
    obj, other = stored(), stored("9")
    other["spec"]["minReadySeconds"] = 9
    with pytest.raises(Stale, match="somebody else"):
        writer(Played(other, GONE)).write(obj, ADD, expected=after(obj))


def test_the_same_but_for_status_and_bookkeeping() -> None:
    fresh = stored("9", managedFields=[{"manager": "x"}])
    fresh["status"]["numberReady"] = 9
    check_same(stored(), fresh)


@pytest.mark.parametrize(
    ("step", "test"),
    [
        ({"op": "add", "path": f"{LIST}/-", "value": EXISTS}, (LIST, [{"key": "a"}])),
        ({"op": "replace", "path": f"{LIST}/0/key", "value": "b"}, (LIST, [{"key": "a"}])),
        (
            {"op": "add", "path": "/spec/template/spec/nodeSelector/a~1b", "value": "1"},
            ("/spec/template/spec/nodeSelector/a~1b", "0"),
        ),
        (
            {"op": "add", "path": "/spec/template/spec/affinity/nodeAffinity", "value": {}},
            ("/spec/template/spec/affinity", None),
        ),
        ({"op": "remove", "path": "/spec/minReadySeconds"}, ("/spec/minReadySeconds", 0)),
    ],
)
def test_a_step_is_guarded_by_what_it_rests_on(step: Json, test: tuple[str, Any]) -> None:
    obj = daemonset(spec={"tolerations": [{"key": "a"}], "nodeSelector": {"a/b": "0"}})
    (_, guard, last) = guarded(obj, [step])
    assert (guard, last) == ({"op": "test", "path": test[0], "value": test[1]}, step)


def test_restoring() -> None:
    way = ("spec", "template", "spec")
    before = {"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}, "hostNetwork": True}}}}
    now = {"spec": {"template": {"spec": {"nodeSelector": {"c": "d"}, "tolerations": [EXISTS]}}}}
    fields = [(*way, name) for name in ("nodeSelector", "tolerations", "hostNetwork", "affinity")]
    assert restoring(before, fields, now=now) == [
        {"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"a": "b"}},
        {"op": "remove", "path": LIST},
        {"op": "add", "path": "/spec/template/spec/hostNetwork", "value": True},
    ]


def test_what_is_being_deleted_is_not_written_to() -> None:
    with pytest.raises(Stale, match="is being deleted"):
        writer(Played(stored())).try_out(stored(deletionTimestamp="2026-05-12T09:30:00Z"), ADD)


def test_what_the_server_makes_of_it() -> None:
    way = ("spec", "template", "spec", "tolerations")
    check_kept(after(stored()), after(stored()), [way])
    rolling = {"spec": {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 2}}}}
    filled = {
        "spec": {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2, "maxSurge": 0}}}
    }
    check_kept(rolling, filled, [("spec", "updateStrategy")])
    with pytest.raises(Refused, match=r"makes something else of spec\.template\.spec\.tolerations"):
        check_kept(after(stored()), stored(), [way])
