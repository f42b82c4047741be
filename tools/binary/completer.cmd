@echo off
rem kubectl starts this to complete "kubectl dscov ..."; it must stand on the PATH.
kubectl-dscov __complete %* 2>nul
