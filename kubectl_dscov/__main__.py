"""What runs when kubectl finds `kubectl-dscov` on the PATH, and for `python -m kubectl_dscov`."""

import sys

from kubectl_dscov.cli import run


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
