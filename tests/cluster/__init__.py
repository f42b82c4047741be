"""Tests against a real API server; `conftest.py` says how they get one."""
