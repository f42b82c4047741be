#!/bin/sh
# kubectl starts this to complete `kubectl dscov ...`; it must stand on the PATH, where kubectl-dscov stands too.
exec kubectl-dscov __complete "$@" 2>/dev/null
