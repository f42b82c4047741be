"""The engine of `kubectl dscov`: every DaemonSet joined with every node."""
