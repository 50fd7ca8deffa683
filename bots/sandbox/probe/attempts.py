"""How the probe tries things."""

from __future__ import annotations

import ctypes
import errno
from collections.abc import Callable

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def attempt(action: Callable[..., object], *arguments: object) -> str:
    """What trying something comes to: ``"done"``, or the name of the error."""
    try:
        action(*arguments)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "refused")
    except ValueError:  # how the module resource says it
        return "refused"
    return "done"


def call(number: int, *arguments: int) -> int:
    """A system call made directly, as a hostile program would make it. Raises ``OSError``."""
    ctypes.set_errno(0)
    result = int(libc.syscall(*(ctypes.c_long(argument) for argument in (number, *arguments))))
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result
