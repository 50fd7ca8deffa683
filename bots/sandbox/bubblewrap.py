"""What bubblewrap is told: the small world one bot sees. ``docs/sandbox.md`` says why each line is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

HOME: Final = "/bot"
"""Where a bot's own folder stands in its world, and where it starts."""

_NAMESPACES: Final = (
    "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup",
    "--disable-userns",
)  # fmt: skip
_IDENTITY: Final = (
    "--uid", "65534", "--gid", "65534", "--hostname", "bot", "--die-with-parent", "--new-session", "--as-pid-1",
    "--cap-drop", "ALL", "--clearenv",
)  # fmt: skip
LIBRARIES: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""What stands in a bot's root as it does in the host's, where there is such a thing."""

LINKER_CACHE: Final = Path("/etc/ld.so.cache")
_DEVICES: Final = ("/dev/null", "/dev/urandom", "/dev/random")

ENVIRONMENT: Final = {
    "PATH": "/usr/bin:/bin",
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}
"""The environment of every sandboxed bot; numeric libraries would otherwise spend its memory on threads."""


def options(
    folder: Path,
    extra: Sequence[Path],
    environment: Mapping[str, str],
    *,
    status_fd: int,
    block_fd: int,
    seccomp_fd: int,
) -> bytes:
    """bubblewrap's options, NUL-separated, for a bot whose files are in ``folder``.

    ``extra`` are more host folders it may read, ``environment`` what it is told besides ``ENVIRONMENT``. Over the
    descriptors bubblewrap reports, waits, and reads the filter.
    """
    words = [*_NAMESPACES, *_IDENTITY, *_system(), *_readable(extra)]
    for device in _DEVICES:
        words += ["--dev-bind", device, device]
    words += ["--dir", "/tmp", "--ro-bind", str(folder), HOME, "--chdir", HOME, "--remount-ro", "/"]  # noqa: S108
    for name, value in {**ENVIRONMENT, **environment}.items():
        words += ["--setenv", name, value]
    words += ["--json-status-fd", str(status_fd), "--block-fd", str(block_fd), "--seccomp", str(seccomp_fd)]
    return b"".join(word.encode() + b"\0" for word in words)


def _system() -> list[str]:
    """The host's programs and libraries, read-only, where its own links expect them."""
    words = ["--ro-bind", "/usr", "/usr"]
    for name in LIBRARIES:
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            words += ["--ro-bind", name, name]
    return [*words, "--ro-bind-try", str(LINKER_CACHE), str(LINKER_CACHE)]


def _readable(folders: Sequence[Path]) -> list[str]:
    return [word for folder in folders for word in ("--ro-bind", str(folder), str(folder))]
