"""What counts as another spelling, and what does not."""

import pytest

from dscov.model.spelling import alike, misspelt, same_meaning, successor


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("true", "", True),
        ("True", "true", True),
        ("no", "false", True),
        ("a_b", "a-b", True),
        ('"x" ', "x", True),
        ("true", "false", False),
        ("0", "1", False),
        ("a", "b", False),
        ("ab", "a-b", False),
    ],
)
def test_same_meaning(a: str, b: str, same: bool) -> None:
    assert same_meaning(a, b) is same_meaning(b, a) is same


@pytest.mark.parametrize(
    ("a", "b", "loosely", "strictly"),
    [
        ("capactiy", "capacity", True, True),
        ("dedicate", "dedicated", True, False),
        ("disktype", "disk-type", True, True),
        ("nvidia.com/gpus", "nvidia.com/gpu", True, True),
        ("a/dedicated", "a_dedicated", True, True),
        ("capacoty", "capacity", True, False),
        ("large", "xlarge", True, False),
        ("worker-a", "worker-b", False, False),
        ("zone-1", "zone-2", False, False),
        ("gpu", "nvidia.com/gpu", False, False),
        ("disk", "dsik", False, False),
        ("infra", "intra", False, False),
    ],
)
def test_slips_of_the_pen(a: str, b: str, loosely: bool, strictly: bool) -> None:
    assert alike(a, b) is alike(b, a) is loosely
    assert misspelt(a, b) is misspelt(b, a) is strictly


def test_renamed_labels() -> None:
    assert successor("node-role.kubernetes.io/master") == "node-role.kubernetes.io/control-plane"
    assert successor("beta.kubernetes.io/os") == "kubernetes.io/os"
    assert successor("kubernetes.io/os") == ""
