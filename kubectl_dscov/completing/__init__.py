"""Completion at a shell's prompt, in the way that kubectl asks its plugins for it."""
