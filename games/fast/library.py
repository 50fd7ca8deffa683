"""The compiled library, loaded with ``ctypes``, and the games that it covers."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any, Final

from games.fast import gems, wine
from games.fast.build import LIBRARY, digest

FAMILIES: Final = {"edel-stein-reich": gems, "edel-stein-reich-duel": gems, "die-weinhaendler": wine}
"""The module with the structs of each game that the accelerator covers, by slug."""

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


def function(family: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Return a function of the library for this family of games. ``result`` and ``arguments`` are types of ctypes."""
    found = load()[f"{family.PREFIX}_{name}"]
    found.restype, found.argtypes = result, arguments
    return found


def require_sizes(family: Any, rules: ctypes.Structure, **sizes: int) -> None:
    """Raise ``RuntimeError`` unless C has the same ``sizes`` of structs, by name, and the rules fit into its arrays."""
    sizes["rules"] = ctypes.sizeof(rules)
    same = all(function(family, f"{name}_size", ctypes.c_size_t)() == size for name, size in sizes.items())
    if not same or not function(family, "rules_fit", ctypes.c_int32, ctypes.POINTER(type(rules)))(rules):
        raise RuntimeError("the accelerator was written for other components of this game than the reference has")
