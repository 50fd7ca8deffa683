"""What to do about a sandbox that does not work here, in sentences for whoever runs the site."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Final

INSTALL: Final = "Install bubblewrap 0.8 or newer from your distribution, for example `apt-get install bubblewrap`."
APPARMOR: Final = (
    "Ubuntu 24.04 and newer keep user namespaces from programs without an AppArmor profile. Install the package "
    "apparmor-profiles and load its profile: `ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict "
    "/etc/apparmor.d/ && apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict`; or write one of your own that "
    "allows userns to /usr/bin/bwrap."
)
DOCKER: Final = (
    "This looks like a container whose seccomp profile forbids user namespaces, as Docker's does by default. Start it "
    "with a profile that allows clone, unshare, mount, umount2, pivot_root and sethostname in namespaces, or with "
    "`--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`."
)
SYSCTL: Final = (
    "This kernel does not let ordinary users make namespaces. Allow it: `sysctl user.max_user_namespaces=10000` and, "
    "where it exists, `sysctl kernel.unprivileged_userns_clone=1`."
)
ROOT: Final = (
    "A seat runs as a user of its own, which cannot reach what it needs. Put the bots' interpreter under /usr "
    "(ESR_BOT_PYTHON), the runtime folder where everybody may pass (ESR_RUNTIME_DIR), and check that root may change "
    "its user here."
)
PYTHON: Final = (
    "Install the distribution's whole Python 3.11 or newer, for example `apt-get install python3`, or name another one "
    "in ESR_BOT_PYTHON."
)
HIDE: Final = (
    "Bots see the library of their interpreter and its packages. Move what should stay hidden out of "
    "there: the site's data (VAR_DIR), the runtime folder (ESR_RUNTIME_DIR), and the site itself, unless it is "
    "installed as a package; or name another interpreter in ESR_BOT_PYTHON."
)
MEMORY: Final = (
    "Put the runtime folder (ESR_RUNTIME_DIR) on a tmpfs of at least 512 MiB that is mounted without noexec, for "
    "example `mount -o remount,exec,size=1g /dev/shm`; in Docker `--tmpfs /run:exec,size=1g`."
)
REPLACE: Final = (
    "What stands in the place of bubblewrap does not do all that it is asked. Look at `ls -l /usr/bin/bwrap "
    "/usr/local/bin/bwrap`, and install the one of your distribution, for example `apt-get install --reinstall "
    "bubblewrap`."
)
ELSEWHERE: Final = "Run the workers on Linux on x86-64."
ASK: Final = "No remedy is known for this; docs/sandbox.md says how to run the probe by hand and see more."

_ABOUT_PYTHON: Final = ("execvp", "ImportError", "ModuleNotFoundError", "SyntaxError")
_ABOUT_INSTALLING: Final = ("not installed", "Unknown option", "disable-userns")
_ABOUT_USERS: Final = ("setpriv", "prlimit", "chroot:", "no chroot", "setresuid", "user ids", "source path")
_ABOUT_NAMESPACES: Final = ("namespace", "uid map", "gid map", "Operation not permitted", "mount", "pivot_root")


def remedy(said: str) -> str:
    """What helps against what was ``said`` by bubblewrap, the probe or the launcher."""
    if "x86-64" in said or "on Linux only" in said or platform.system() != "Linux":
        return ELSEWHERE
    if "look into" in said:
        return HIDE
    if "no rated games" in said or "noexec" in said:
        return MEMORY
    if "does not hold" in said:
        return REPLACE
    for words, help_ in ((_ABOUT_INSTALLING, INSTALL), (_ABOUT_USERS, ROOT), (_ABOUT_PYTHON, PYTHON)):
        if any(word in said for word in words):
            return help_
    return _namespaces() if any(word in said for word in _ABOUT_NAMESPACES) else ASK


def _namespaces() -> str:
    """Who it is that forbids namespaces."""
    if _setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return APPARMOR
    if _setting("/proc/sys/user/max_user_namespaces") == "0":
        return SYSCTL
    if _setting("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return SYSCTL
    return DOCKER


def _setting(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
