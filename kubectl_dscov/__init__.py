"""The face of `kubectl dscov`: flags, rendering, prompts and exit codes around the engine `dscov`."""
