"""One file per cause of a gap; the registry finds them by scanning this folder."""
