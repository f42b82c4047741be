"""Kubernetes' own rules, restated; knows nothing of coverage."""
