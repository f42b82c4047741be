"""The least change of a DaemonSet's spec that closes its gaps and keeps it off where it does not belong.

What "least" means. A plan is a set of single edits of the pod template. It is feasible where, by the oracle, the
controller then wants a pod on every node to enter, lets no pod go on where it is to leave, wants one wherever it wanted
one and that was right, throws out none that it left alone, and wants none on a node where none is expected. Of all
feasible plans the least has

1. the fewest edits, then
2. the least breadth in sum, then
3. the fewest nodes gained or lost that are no targets.

The edits there are (`tolerating`, `selecting`, `narrowing`), each with its breadth:

- Add a toleration of a taint that bars a target, in a form that meets it: exact 1; any effect 3; any value 5; any value
  and effect 7. A form counts as exact where it leaves nothing open among the taints that nodes have: no value is open
  where none of the taints met has one, no effect where both effects are met.
- Change an own toleration that was meant for it into such a form, losing no taint of any node: one less than to add it.
- In the nodeSelector: another value that a node kept out has, or another key where it has what is asked for under its
  right name 0; take the label out 3. Take nodeName out 1.
- In the required affinity: what the cause advises 0; take in the values of the nodes kept out (In), or let go of them
  (NotIn) 1; take an expression out 3, the whole affinity 4.
- Ask for a label more (which: see `narrowing`): what is declared or a cause advises 0; in the nodeSelector the operating
  system 0, the architecture 2, another label 3; NotIn 1 for each value; DoesNotExist 1; Exists 3; In 3 and 1 for each
  value.

Where not all targets can be had together, those that can and have the most nodes are aimed at; where they are of more
than eight kinds, one kind after another is taken in, the largest first.

Never part of a plan: a toleration without a key, one taken away (a pod that runs stays under a NoSchedule taint, so it
would keep nothing out for good), one of a taint for startup, maintenance or a condition (but for daemons without which
nobody lifts it, see `must_tolerate`, and where an own toleration misses it by a slip).
What is no change of placement (priority, update strategy, scheduler) is taken from its cause as it stands.

The search is exact (`search`): it stops at the first depth with a feasible plan and has passed over none. Where its
patience ends, `Proposal.bound` is the number of edits below which there is no plan. A plan of so many edits is told as
least all the same, though another of as many may be narrower; else it is one that mends most first.
"""

from __future__ import annotations

from dscov.planner.propose import propose

__all__ = ["propose"]
