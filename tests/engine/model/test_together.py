"""Patches of several findings, made to stand alone and side by side."""

from typing import Any

from dscov.model.together import together

LIST = "/spec/template/spec/tolerations"
AFFINITY = "/spec/template/spec/affinity"
TERMS = f"{AFFINITY}/nodeAffinity/required/nodeSelectorTerms"


def add(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def test_one_patch_stays_as_it_is() -> None:
    patch = (add(LIST, [1]), {"op": "remove", "path": "/x"})
    assert together([patch]) == (patch,)


def test_a_list_that_two_would_make() -> None:
    assert together([(add(LIST, [1]),), (), (add(LIST, [2]),), (add(LIST, [1]),)]) == (
        (add(LIST, [1, 2]),),
        (),
        (add(LIST, [1, 2]),),
        (add(LIST, [1, 2]),),
    )


def test_appending_is_left_alone() -> None:
    patches = ((add(f"{LIST}/-", {"key": "a"}),), (add(f"{LIST}/-", {"key": "b"}),))
    assert together(patches) == patches


def test_maps_unite_key_by_key_and_terms_entry_by_entry() -> None:
    first, second = (
        add(AFFINITY, {"a": {"nodeSelectorTerms": [{"matchExpressions": [i]}]}, "b": {str(i): i}}) for i in (1, 2)
    )
    whole = add(AFFINITY, {"a": {"nodeSelectorTerms": [{"matchExpressions": [1, 2]}]}, "b": {"1": 1, "2": 2}})
    assert together([(first,), (second,)]) == ((whole,), (whole,))


def test_where_all_terms_become_one_the_others_change_that_one() -> None:
    merged = {"op": "replace", "path": TERMS, "value": [{"matchExpressions": [1, 2]}]}
    other = (add(f"{TERMS}/0/matchExpressions/-", 3), add(f"{TERMS}/1/matchExpressions/-", 3), add("/x", 1))
    whole = {"op": "replace", "path": TERMS, "value": [{"matchExpressions": [1, 2, 3]}]}
    assert together([(merged,), other]) == ((whole,), (whole, add("/x", 1)))
