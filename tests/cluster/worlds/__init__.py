"""Worlds to fill a cluster with: a random one for laws, a big one for speed."""
