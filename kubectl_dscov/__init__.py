"""The face of `kubectl dscov`: flags, rendering, prompts and exit codes around the engine `dscov`."""

from importlib.metadata import version

__version__ = version("kubectl-dscov")
