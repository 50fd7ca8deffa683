"""The options of bubblewrap. ``docs/internals/sandbox.md`` explains each of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

HOME: Final = "/bot"
"""The path of a bot's own folder in its sandbox, where it starts."""

_NAMESPACES: Final = (
    "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup",
    "--disable-userns",
)  # fmt: skip
_IDENTITY: Final = (
    "--uid", "65534", "--gid", "65534", "--hostname", "bot", "--die-with-parent", "--new-session", "--as-pid-1",
    "--cap-drop", "ALL", "--clearenv",
)  # fmt: skip
DEVICES: Final = ("/dev/null", "/dev/urandom", "/dev/random")

ENVIRONMENT: Final = {
    "PATH": "/usr/bin:/bin",
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}
"""The environment of every sandboxed bot. It stops numeric libraries from using its memory for threads."""


def options(
    root: Path,
    folder: Path,
    environment: Mapping[str, str],
    *,
    status_fd: int,
    block_fd: int,
    seccomp_fd: int,
) -> bytes:
    """Return bubblewrap's options, NUL-separated, for a bot with the files in ``folder`` and the root ``root``.

    ``environment`` contains variables in addition to ``ENVIRONMENT``. bubblewrap reports its status, waits, and reads
    the filter with the three descriptors.
    """
    words = [*_NAMESPACES, *_IDENTITY, "--ro-bind", str(root), "/"]
    for device in DEVICES:
        words += ["--dev-bind", device, device]
    words += ["--ro-bind", str(folder), HOME, "--chdir", HOME]
    for name, value in {**ENVIRONMENT, **environment}.items():
        words += ["--setenv", name, value]
    words += ["--json-status-fd", str(status_fd), "--block-fd", str(block_fd), "--seccomp", str(seccomp_fd)]
    return b"".join(word.encode() + b"\0" for word in words)
