"""A control plane as processes on loopback, built from the pinned Go modules next door."""
