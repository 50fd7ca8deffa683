"""The self-test of the sandbox: a probe is started like a bot, and its observations from inside are checked."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Final, NamedTuple

import bots
from bots.runner.launcher import PlatformFailure
from bots.sandbox import bubblewrap, library
from bots.sandbox.bubblewrap import HOME
from bots.sandbox.interpreter import bots_interpreter, environment, packages
from bots.sandbox.limits import THREADS, limit_values
from bots.sandbox.observation import (
    CODE,
    LIMITS,
    Outside,
    ProbeFailed,
    is_ended_for_memory,
    look_as_a_bot,
    look_without_a_filter,
)
from bots.sandbox.root import LINKER_CACHE, bots_library, has_holes
from bots.sandbox.runtime import is_in_memory, runtime_folder
from bots.sandbox.sandbox_launcher import SandboxLauncher

# --- Remedies --------------------------------------------------------------------------------------------------------

INSTALL: Final = (
    "Install bubblewrap 0.8 or later from your distribution, for example with `apt-get install bubblewrap`."
)
APPARMOR: Final = (
    "Ubuntu 24.04 and later block user namespaces for programs without an AppArmor profile. Install the package "
    "apparmor-profiles and load its profile: `ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict "
    "/etc/apparmor.d/ && apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict`. Alternatively, write a "
    "profile that allows userns for /usr/bin/bwrap."
)
DOCKER: Final = (
    "This seems to be a container whose seccomp profile blocks user namespaces, which is Docker's default. Start it "
    "with a profile that allows clone, unshare, mount, umount2, pivot_root and sethostname in namespaces, or with "
    "`--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`."
)
SYSCTL: Final = (
    "The kernel settings block namespaces for ordinary users. Allow them with `sysctl user.max_user_namespaces=10000` "
    "and, if the setting exists, `sysctl kernel.unprivileged_userns_clone=1`."
)
ROOT: Final = (
    "Each seat runs as a separate user, which cannot access a required file. Install the bots' interpreter under /usr "
    "(ESR_BOT_PYTHON), make the runtime folder accessible to all users (ESR_RUNTIME_DIR), and check that root can "
    "switch users on this machine."
)
PYTHON: Final = (
    "Install the complete Python 3.11 or later of your distribution, for example with `apt-get install python3`, or "
    "set ESR_BOT_PYTHON to another interpreter."
)
HIDE: Final = (
    "Bots can read the library and the packages of their interpreter. Move the site's data (VAR_DIR), the runtime "
    "folder (ESR_RUNTIME_DIR) and, unless it is installed as a package, the site itself out of these folders, or set "
    "ESR_BOT_PYTHON to another interpreter."
)
MEMORY: Final = (
    "Put the runtime folder (ESR_RUNTIME_DIR) on a tmpfs of at least 512 MiB that is mounted without noexec, for "
    "example with `mount -o remount,exec,size=1g /dev/shm` or, in Docker, with `--tmpfs /run:exec,size=1g`."
)
REPLACE: Final = (
    "The installed bwrap program does not apply all options. Check `ls -l /usr/bin/bwrap /usr/local/bin/bwrap` and "
    "reinstall bubblewrap from your distribution, for example with `apt-get install --reinstall bubblewrap`."
)
ELSEWHERE: Final = "Run the workers on Linux on x86-64."
ASK: Final = "There is no known fix. docs/internals/sandbox.md explains how to run the probe manually for details."

_ABOUT_PYTHON: Final = ("execvp", "ImportError", "ModuleNotFoundError", "SyntaxError")
_ABOUT_INSTALLING: Final = ("not installed", "Unknown option", "disable-userns")
_ABOUT_USERS: Final = ("setpriv", "prlimit", "chroot:", "chroot is missing", "setresuid", "user ids", "source path")
_ABOUT_NAMESPACES: Final = ("namespace", "uid map", "gid map", "Operation not permitted", "mount", "pivot_root")


def remedy(message: str) -> str:
    """Return the remedy for a message of bubblewrap, the probe or the launcher."""
    if "x86-64" in message or "requires Linux" in message or platform.system() != "Linux":
        return ELSEWHERE
    if "look into" in message:
        return HIDE
    if "cannot play rated games" in message or "noexec" in message:
        return MEMORY
    if "is not secure" in message:
        return REPLACE
    for words, help_ in ((_ABOUT_INSTALLING, INSTALL), (_ABOUT_USERS, ROOT), (_ABOUT_PYTHON, PYTHON)):
        if any(word in message for word in words):
            return help_
    return _namespaces() if any(word in message for word in _ABOUT_NAMESPACES) else ASK


def _namespaces() -> str:
    """Return the remedy for blocked namespaces."""
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


# --- Checks ----------------------------------------------------------------------------------------------------------

Seen = Mapping[str, Any]

_SIGKILL: Final = 9


@dataclass(frozen=True)
class PropertyCheck:
    """One property of the sandbox; ``problem`` is empty if it holds.

    A property ``for_ratings`` only protects ratings: without it, unrated games can be played.
    """

    name: str
    problem: str = ""
    for_ratings: bool = False

    @property
    def ok(self) -> bool:
        """Whether the property holds."""
        return not self.problem


def judge_world(
    seen: Seen, root: Path, limits: Mapping[str, int], environment: Mapping[str, str]
) -> Iterator[PropertyCheck]:
    """Check what a bot can see and do from inside.

    ``root``, ``limits`` and ``environment`` are the expected values.
    """
    yield from _judge_files(seen, root)
    yield from _judge_identity(seen)
    strange = sorted(set(environment.items()) ^ {(k, v) for k, v in seen["environment"].items() if k != "PWD"})
    yield _check("Only bot variables are in the environment.", "the environment has other variables", strange)
    open_files = seen["descriptors"] != [0, 1, 2]
    yield _check("Only three file descriptors are open.", "file descriptors of the platform are open", open_files)
    yield _check("Sockets cannot be opened.", "network sockets can be opened", seen["sockets"])
    yield _check("Processes cannot be created.", "processes can be created", seen["fork"] == "done")
    many = seen["threads"] > THREADS
    yield _check(f"At most {THREADS} threads can be created.", f"{seen['threads']} threads can be created", many)
    loose = [name for name, value in limits.items() if seen["limits"].get(name) != [value, value]]
    yield _check("Resource limits are enforced.", f"the limits {', '.join(loose)} are not enforced", loose)
    open_ = [name for name, result in seen["calls"].items() if result not in ("ENOSYS", "EINVAL")]
    yield _check("Dangerous system calls are blocked.", f"the system calls {', '.join(open_)} are allowed", open_)
    shared = seen["shared_memory"] == "done"
    yield _check("Shared memory is not available.", "memory can be shared, so it can stay allocated uncounted", shared)
    huge = seen["huge_pages"]
    yield _check("Huge pages are disabled.", "huge pages are enabled, which other processes can observe", huge)
    yield _check("A seccomp filter is active.", "no seccomp filter is active", seen["seccomp_mode"] != 2)
    yield _check("Privileges cannot be gained.", "new privileges can be gained", seen["no_new_privileges"] != 1)


def _judge_files(seen: Seen, root: Path) -> Iterator[PropertyCheck]:
    yield _check("Host files are hidden.", "a host file is readable", seen["host_file"] != "ENOENT")
    shown = [place for place, names in seen["hidden"].items() if set(names) - _on_the_way(place)]
    yield _check("Platform folders are hidden.", f"bots can look into {', '.join(shown)}", shown)
    wanted = set(os.listdir(root))
    stray = sorted(set(seen["root"]) - wanted)
    yield _check("The root folder contains nothing else.", f"the root folder contains {', '.join(stray)}", stray)
    lacking = sorted(wanted - set(seen["root"]))
    yield _check("The root folder is complete.", f"the root folder lacks {', '.join(lacking)}", lacking)
    yield _check("/proc does not exist.", "/proc exists", seen["proc"])
    cache = [LINKER_CACHE.name] if LINKER_CACHE.exists() else []
    other = seen["etc"] != cache
    yield _check("/etc contains only the linker cache.", "/etc has other files or lacks the linker cache", other)
    yield _check("The temporary folder is empty.", "the temporary folder is not empty", seen["tmp"])
    devices = set(seen["dev"]) != {"null", "random", "urandom"}
    yield _check("/dev contains only three devices.", "/dev has other devices", devices)
    writable = seen["writable"]
    yield _check("No folder is writable.", f"files can be created in {', '.join(writable)}", writable)


def _judge_identity(seen: Seen) -> Iterator[PropertyCheck]:
    pid, *ids, groups = seen["ids"]
    yield _check("The process id is 1.", "the probe is not alone in its process namespace", pid != 1)
    foreign = ids != [65534] * 4 or set(groups) - {65534}
    yield _check("The user id is 65534.", "the probe has another user or group", foreign)
    own = seen["session"] == [1, 1, 0]
    yield _check("The bot has its own session.", "the probe shares a session with the platform", not own)
    yield _check("The host name is bot.", "the probe sees the name of the host", seen["host"] != "bot")
    yield _check("The bot starts in its own folder.", f"the probe starts in {seen['here']}", seen["here"] != HOME)


def judge_walls(seen: Seen) -> Iterator[PropertyCheck]:
    """Check the protection without the seccomp filter."""
    nested = seen["new_namespace"] == "done"
    yield _check("User namespaces are disabled.", "user namespaces can be created", nested)
    outlives = seen["death_signal"] != _SIGKILL
    yield _check("The bot ends with its parent process.", "the probe outlives its parent process", outlives)
    powers = seen["capabilities"] or seen["bounding_set"]
    yield _check("The bot has no capabilities.", "the probe has or can get capabilities", powers)
    done = [name for name in ("mount", "chroot", "another_user", "raised") if seen[name] == "done"]
    yield _check("The bot has no root powers.", f"without a filter these operations work: {', '.join(done)}", done)
    loose = sorted(set(seen["mounts"]) - set(seen["read_only"]))
    yield _check("All mounts are read-only.", f"these mounts are writable: {', '.join(loose)}", loose)
    more = set(seen["interfaces"]) - {"lo"}
    yield _check("No network interface is visible.", f"network interfaces are visible: {', '.join(sorted(more))}", more)
    reached = [name for name in ("host_port", "host_socket") if seen[name] == "done"]
    yield _check("Host sockets are not reachable.", "host sockets are reachable", reached)
    shared = seen["host_memory"] == "done"
    yield _check("Host shared memory is not reachable.", "shared memory of the host is reachable", shared)
    many = seen["processes"] > THREADS
    yield _check("Processes are limited.", f"{seen['processes']} processes can be created without a filter", many)


def judge_from_outside(outside: Outside, folders: Iterable[Path]) -> Iterator[PropertyCheck]:
    """Check what a probe cannot see from inside: its namespaces, user, start time and files on disk.

    ``folders`` are the folders that the host mounted for it.
    """
    names = ", ".join(outside.shared_namespaces)
    shared = outside.shared_namespaces
    yield _check("All namespaces are separate.", f"the namespaces {names} are shared with the host", shared)
    yield _check("The bot is not root on the host.", "the probe is root outside its namespace", outside.is_root)
    yield _check("The bot waits for its limits.", "the probe started before its limits were set", not outside.held)
    on_disk = ", ".join(outside.on_disk)
    problem = f"files are on a disk, whose cache can pass information to later games: {on_disk}"
    yield PropertyCheck("All bot files are in memory.", problem if outside.on_disk else "", for_ratings=True)
    if not outside.on_disk:
        problem = "the bot files are sparse, so reading them allocates memory"
        yield PropertyCheck("Bot files are not sparse.", problem if any(map(has_holes, folders)) else "")


def _check(name: str, problem: str, wrong: object) -> PropertyCheck:
    return PropertyCheck(name, problem if wrong else "")


def _on_the_way(place: str) -> set[str]:
    """Return the one name that an interpreter outside ``/usr`` needs in a folder."""
    prefix = bots_interpreter().parent.parent
    parts = place.rstrip("/").split("/")
    if (
        prefix.is_relative_to("/usr")
        or list(prefix.parts[1 : len(parts)]) != parts[1:]
        or len(prefix.parts) <= len(parts)
    ):
        return set()
    return {prefix.parts[len(parts)]}


# --- The self-test ---------------------------------------------------------------------------------------------------

RETRY_S: Final = 30.0
"""The time until a self-test that found a problem is repeated."""

_ONE_AT_A_TIME: Final = Lock()
_PACKAGES: Final = {"site-packages", "dist-packages"}


@dataclass(frozen=True)
class SelfTest:
    """Whether untrusted code may run on this machine, and whether its games may be ``rated``.

    If not, ``problem`` and ``remedy`` are sentences for the site admin. ``checks`` are the tested properties, empty if
    the probe could not be started.
    """

    ok: bool
    rated: bool = False
    python_version: str = ""
    problem: str = ""
    remedy: str = ""
    checks: tuple[PropertyCheck, ...] = ()


def sandbox() -> tuple[SandboxLauncher | None, SelfTest]:
    """Return the sandbox of this process (``None`` if the self-test failed) and its self-test.

    A passed test is not repeated. A failed one is repeated after ``RETRY_S``, so that a fix is noticed.
    """
    with _ONE_AT_A_TIME:  # concurrent callers wait for a running test
        tested = _sandbox()
        if not _may_be_better(tested):
            return tested.launcher, tested.test
        for known in (_sandbox, bots_interpreter, bots_library, packages):
            known.cache_clear()
        tested = _sandbox()
        return tested.launcher, tested.test


def _may_be_better(tested: _Tested) -> bool:
    """Whether to repeat the self-test. If only ratings are affected, that needs a file system in memory."""
    if tested.test.rated or monotonic() < tested.tested_s + RETRY_S:
        return False
    if not tested.test.ok:
        return True
    try:
        return is_in_memory(runtime_folder())
    except PlatformFailure:
        return False


class _Tested(NamedTuple):
    launcher: SandboxLauncher | None
    test: SelfTest
    tested_s: float


@cache
def _sandbox() -> _Tested:
    try:
        launcher = SandboxLauncher()
    except PlatformFailure as failure:
        return _Tested(None, _failed(f"{failure}."), monotonic())
    test = prove(launcher)
    return _Tested(launcher if test.ok else None, test, monotonic())


def self_test() -> SelfTest:
    """Return the result of the latest self-test of this process."""
    return sandbox()[1]


def prove(launcher: SandboxLauncher) -> SelfTest:
    """Run the self-test of ``launcher``. Only a passed test allows the launcher to run untrusted code."""
    launcher.proved = False
    try:
        version, checks = _look(launcher)
    except PlatformFailure as failure:
        return _failed(f"The self-test could not start its probe: {failure}.")
    except ProbeFailed as error:
        return _failed(f"The self-test probe did not answer from inside the sandbox: {error}.")
    leaks = [check.problem for check in checks if not check.ok and not check.for_ratings]
    if leaks:
        return _failed("The sandbox is not secure: " + "; ".join(leaks) + ".", checks)
    launcher.proved = True
    hints = [check.problem for check in checks if not check.ok]
    problem = f"Uploaded bots cannot play rated games on this machine: {'; '.join(hints)}." if hints else ""
    return SelfTest(
        ok=True,
        rated=not hints,
        python_version=version,
        problem=problem,
        remedy=remedy(problem) if hints else "",
        checks=checks,
    )


def _look(launcher: SandboxLauncher) -> tuple[str, tuple[PropertyCheck, ...]]:
    """Return the version of the interpreter and all checks.

    The probe runs without the filter only after all other checks passed, because it tries dangerous operations.
    """
    seen, outside = look_as_a_bot(launcher, list(hidden_places()))
    variables = {**bubblewrap.ENVIRONMENT, **environment(library.PLACE)}
    checks = [
        *judge_world(seen, launcher.root, limit_values(LIMITS), variables),
        *judge_from_outside(outside, (launcher.root, launcher.copy_of(CODE))),
    ]
    bounded = is_ended_for_memory(launcher)
    checks.append(_check("Memory is limited.", "a bot can use more memory than its limit", not bounded))
    if all(check.ok or check.for_ratings for check in checks):
        checks += judge_walls(look_without_a_filter(launcher))
    return str(seen["python"]), tuple(checks)


def hidden_places() -> Iterator[Path]:
    """Yield folders of the platform that bots must not read: other bots, data and the code next to it."""
    yield runtime_folder()
    above = Path(bots.__file__).resolve().parent.parent
    if above.name not in _PACKAGES:
        yield above
    data = os.environ.get("VAR_DIR")
    if data:
        yield Path(data).resolve()


def _failed(problem: str, checks: tuple[PropertyCheck, ...] = ()) -> SelfTest:
    return SelfTest(ok=False, problem=problem, remedy=remedy(problem), checks=checks)
