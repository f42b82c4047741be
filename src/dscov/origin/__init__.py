"""Where a change of a DaemonSet lasts: its owner is looked up, and the patch is put in the owner's own terms.

Only GETs are sent, and never for Secrets. What cannot be read is said in words.
"""

from dscov.origin.nouns import Origin
from dscov.origin.search import origin_of

__all__ = ["Origin", "origin_of"]
