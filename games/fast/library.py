"""The compiled library, loaded with ``ctypes``."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

from games.fast.build import LIBRARY, digest

_BUILD = "build it with `make engine-fast` or `python -m games.fast.build`, which needs a C compiler"


@cache
def load(path: Path = LIBRARY) -> ctypes.PyDLL:
    """Return the library. Raises ``ImportError`` if it is missing or was compiled from other sources than the present.

    The message tells how to build it. Calls hold the lock of the interpreter, so that no other thread changes an array
    after it was checked.
    """
    if not path.is_file():
        raise ImportError(f"the accelerator is not compiled ({path}): {_BUILD}")
    try:
        library = ctypes.PyDLL(str(path))
    except OSError as error:
        raise ImportError(f"the accelerator cannot be loaded ({error}): {_BUILD}") from error
    library.sources_digest.restype = ctypes.c_char_p
    if library.sources_digest().decode() != digest():
        raise ImportError(f"the accelerator was compiled from other sources ({path}): {_BUILD}")
    return library
