"""Situations made for real on one control plane, each with the verdict that it must get; one module per stage."""
