"""One root is shown once: a node that is itself in trouble explains what every DaemonSet misses on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dscov import Coverage, Diagnosis, Finding, cause_of

#: The stage of a cause that is a fault of the node, and of one that is about the DaemonSet as a whole.
NODE, WHOLE = 6, 7
#: What a finding can be, the worst first.
SEVERITIES = ("error", "warning", "info")


class Roots:
    """The nodes in trouble, each with the finding that says so and the DaemonSets that miss it."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        self.finding: dict[str, Finding] = {}
        self.missing: dict[str, list[str]] = {}
        for one in diagnosis.coverage:
            gaps = {pair.node for pair in one.pairs if pair.verdict.gap}
            for finding in one.findings:
                if _blames_node(finding):
                    for node in gaps.intersection(finding.nodes):
                        self.finding.setdefault(node, finding)
                        self.missing.setdefault(node, []).append(one.daemonset.key)
        self.coverage = diagnosis.coverage
        for node in [node for node, missing in self.missing.items() if len(missing) < 2]:
            del self.finding[node], self.missing[node]

    def explains(self, finding: Finding) -> bool:
        """Whether a finding only follows from nodes in trouble."""
        return bool(finding.nodes) and not is_whole(finding) and all(node in self.finding for node in finding.nodes)

    def follows(self, finding: Finding, one: Coverage) -> bool:
        """Whether a finding of a DaemonSet only follows from nodes that another finding of it holds at fault."""
        sick = {node for other in one.findings if _blames_node(other) for node in other.nodes}
        stage = cause_of(finding.cause).stage
        return bool(finding.nodes) and stage not in {NODE, WHOLE} and sick.issuperset(finding.nodes)

    def explains_all(self, one: Coverage) -> bool:
        """Whether a DaemonSet misses nothing but nodes in trouble."""
        bad = [pair.node for pair in one.pairs if pair.verdict.gap or pair.verdict.unwanted]
        loud = [finding for finding in one.findings if finding.severity != "info"]
        return all(node in self.finding for node in bad) and all(self.explains(finding) for finding in loud)

    def by_reason(self) -> Mapping[tuple[str, tuple[str, ...]], list[str]]:
        """The nodes in trouble by (cause, the DaemonSets that miss them), what costs most pods first."""
        found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for node, finding in self.finding.items():
            found.setdefault((finding.cause, tuple(self.missing[node])), []).append(node)
        return dict(sorted(found.items(), key=lambda one: -len(one[1]) * len(one[0][1])))

    def ordered(self) -> Sequence[Coverage]:
        """The DaemonSets, the worst first: by severity, then by what is wrong beside the nodes in trouble."""
        return sorted(self.coverage, key=lambda one: (_severity(one), -self._wrong(one), one.daemonset.key))

    def _wrong(self, one: Coverage) -> int:
        told = (pair for pair in one.pairs if pair.node not in self.finding)
        return sum(pair.verdict.gap or pair.verdict.unwanted for pair in told)


def is_whole(finding: Finding) -> bool:
    """Whether a finding is about the DaemonSet as a whole."""
    return not finding.nodes or cause_of(finding.cause).stage == WHOLE


def _severity(one: Coverage) -> int:
    return min((SEVERITIES.index(finding.severity) for finding in one.findings), default=len(SEVERITIES))


def _blames_node(finding: Finding) -> bool:
    return cause_of(finding.cause).stage == NODE and finding.severity == "error"
