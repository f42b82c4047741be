"""What the built program runs: our main, in the environment that the user's shell gave it.

The starter of PyInstaller points LD_LIBRARY_PATH at the libraries in the archive and leaves notes for itself; a
credential plugin or an editor that is started from here must see none of that, or it loads the wrong libraries.
"""

import os
import sys


def restore(environ: "os._Environ[str]") -> None:
    """Take back what the starter did to the environment."""
    for name in [name for name in environ if name.startswith("_PYI_")]:
        del environ[name]
    for name in ("LD_LIBRARY_PATH", "LIBPATH"):
        before = environ.pop(f"{name}_ORIG", None)
        if before is not None:
            environ[name] = before
        elif "linux" in sys.platform or "aix" in sys.platform:
            environ.pop(name, None)


def unhook() -> None:
    """Windows hands the folder of our libraries on to every program that is started: take it back."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.kernel32.SetDllDirectoryW(None)


def find_files() -> None:
    """Leave finding modules to Python itself: all are plain files here, and there is no archive to look in first."""
    sys.path_hooks[:] = [hook for hook in sys.path_hooks if "pyimod" not in hook.__module__]
    sys.path_importer_cache.clear()


restore(os.environ)
unhook()
find_files()
from kubectl_dscov.__main__ import main  # noqa: E402

main()
