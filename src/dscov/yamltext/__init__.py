"""Text surgery on YAML and JSON files; knows no Kubernetes."""
