"""Where a change goes: a file, or a cluster."""
