"""Where a snapshot comes from: a live cluster, or saved files."""
