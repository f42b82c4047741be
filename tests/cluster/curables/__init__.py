"""Situations that a patch of the DaemonSet cures, each made for real and cured by `fix`; one module per theme."""
