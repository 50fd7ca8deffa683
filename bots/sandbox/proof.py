"""Does the sandbox hold here? A probe is started like every bot, and only what it sees from inside is believed."""

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
from bots.sandbox import bubblewrap
from bots.sandbox.bubblewrap import HOME
from bots.sandbox.interpreter import bots_interpreter, environment, packages
from bots.sandbox.limits import THREADS, limit_values
from bots.sandbox.observation import CODE, LIMITS, NoAnswer, Outside, look_as_a_bot, look_without_a_filter
from bots.sandbox.root import LINKER_CACHE, bots_library, has_holes
from bots.sandbox.runtime import is_in_memory, runtime_folder
from bots.sandbox.sandboxed import SandboxLauncher

# --- Remedies --------------------------------------------------------------------------------------------------------

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


# --- Checks ----------------------------------------------------------------------------------------------------------

Seen = Mapping[str, Any]

_SIGKILL: Final = 9


@dataclass(frozen=True)
class Check:
    """One property of the sandbox: a sentence that should be true, and ``problem``, which is empty if it is true.

    A property ``for_ratings`` protects only ratings: without it unrated games can be played.
    """

    name: str
    problem: str = ""
    for_ratings: bool = False

    @property
    def ok(self) -> bool:
        """Whether it holds."""
        return not self.problem


def judge_world(seen: Seen, root: Path, limits: Mapping[str, int], environment: Mapping[str, str]) -> Iterator[Check]:
    """Check a bot's own view: its surroundings and its rights.

    ``root``, ``limits`` and ``environment`` are what it should have.
    """
    yield from _judge_files(seen, root)
    yield from _judge_identity(seen)
    strange = sorted(set(environment.items()) ^ {(k, v) for k, v in seen["environment"].items() if k != "PWD"})
    yield _check("Its environment is the bots'.", "the environment is not the bots'", strange)
    yield _check("It has three descriptors.", "descriptors of the platform are open", seen["descriptors"] != [0, 1, 2])
    yield _check("It cannot open a socket.", "there is a way to the network", seen["sockets"])
    yield _check("It cannot make processes.", "other processes can be made", seen["fork"] == "done")
    many = seen["threads"] > THREADS
    yield _check(f"It has at most {THREADS} threads.", f"{seen['threads']} threads can be made", many)
    loose = [name for name, value in limits.items() if seen["limits"].get(name) != [value, value]]
    yield _check("Its limits hold.", f"the limits {', '.join(loose)} do not hold", loose)
    open_ = [name for name, result in seen["calls"].items() if result not in ("ENOSYS", "EINVAL")]
    yield _check("Dangerous calls do not exist.", f"the calls {', '.join(open_)} are allowed", open_)
    shared = seen["shared_memory"] == "done"
    yield _check("It has no shared memory.", "memory can be mapped that no limit counts", shared)
    yield _check(
        "It has no huge pages.", "its pages can become huge pages, which others can notice", seen["huge_pages"]
    )
    yield _check("A seccomp filter is on.", "there is no seccomp filter", seen["seccomp_mode"] != 2)
    yield _check("It gains no privileges.", "new privileges can be had", seen["no_new_privileges"] != 1)


def _judge_files(seen: Seen, root: Path) -> Iterator[Check]:
    yield _check("Files of the host are hidden.", "a file of the host can be read", seen["host_file"] != "ENOENT")
    shown = [place for place, names in seen["hidden"].items() if set(names) - _on_the_way(place)]
    yield _check("The platform is hidden.", f"bots can look into {', '.join(shown)}", shown)
    wanted = set(os.listdir(root))
    stray = sorted(set(seen["root"]) - wanted)
    yield _check("The root holds nothing else.", f"the root holds {', '.join(stray)}", stray)
    lacking = sorted(wanted - set(seen["root"]))
    yield _check("The root is whole.", f"the root lacks {', '.join(lacking)}", lacking)
    yield _check("There is no /proc.", "/proc is there", seen["proc"])
    cache = [LINKER_CACHE.name] if LINKER_CACHE.exists() else []
    yield _check("/etc holds the linker's cache alone.", "/etc holds more or less than that", seen["etc"] != cache)
    yield _check("Its folder for temporary files is empty.", "the folder for temporary files is not empty", seen["tmp"])
    devices = set(seen["dev"]) != {"null", "random", "urandom"}
    yield _check("/dev holds three devices.", "/dev holds other devices", devices)
    writable = seen["writable"]
    yield _check("Nothing can be written.", f"files can be made in {', '.join(writable)}", writable)


def _judge_identity(seen: Seen) -> Iterator[Check]:
    pid, *ids, groups = seen["ids"]
    yield _check("It is process 1.", "the probe is not alone in its process namespace", pid != 1)
    foreign = ids != [65534] * 4 or set(groups) - {65534}
    yield _check("It is user 65534.", "the probe has another user or group", foreign)
    own = seen["session"] == [1, 1, 0]
    yield _check("It leads its own session.", "the probe shares a session with the platform", not own)
    yield _check("Its host is called bot.", "the probe knows the name of the host", seen["host"] != "bot")
    yield _check("It starts in its own folder.", f"the probe starts in {seen['here']}", seen["here"] != HOME)


def judge_walls(seen: Seen) -> Iterator[Check]:
    """What holds without the seccomp filter."""
    nested = seen["new_namespace"] == "done"
    yield _check("User namespaces are disabled.", "more user namespaces can be made", nested)
    outlives = seen["death_signal"] != _SIGKILL
    yield _check("It dies with its parent.", "the probe would outlive the platform", outlives)
    powers = seen["capabilities"] or seen["bounding_set"]
    yield _check("It has no capabilities.", "the probe has capabilities or can have them", powers)
    done = [name for name in ("mount", "chroot", "another_user", "raised") if seen[name] == "done"]
    yield _check("It has no powers of root.", f"without a filter these work: {', '.join(done)}", done)
    loose = sorted(set(seen["mounts"]) - set(seen["read_only"]))
    yield _check("All is mounted read-only.", f"{', '.join(loose)} can be written to", loose)
    more = set(seen["interfaces"]) - {"lo"}
    yield _check("It sees no interface.", f"the network interfaces {', '.join(sorted(more))} are there", more)
    reached = [name for name in ("host_port", "host_socket") if seen[name] == "done"]
    yield _check("It cannot reach the host.", "sockets of the host can be reached", reached)
    yield _check("It shares no memory.", "shared memory of the host can be reached", seen["host_memory"] == "done")
    many = seen["processes"] > THREADS
    yield _check("Processes would be counted.", f"{seen['processes']} processes can be made without a filter", many)


def judge_from_outside(outside: Outside, folders: Iterable[Path]) -> Iterator[Check]:
    """What no probe can see from inside: its namespaces, its user, when it began, and what of its files is on disk.

    ``folders`` are those that the host bound into its world.
    """
    names = ", ".join(outside.shared_namespaces)
    yield _check("Its namespaces are its own.", f"the namespaces {names} are the host's", outside.shared_namespaces)
    yield _check("It is not root outside either.", "the probe is root outside of its namespace", outside.is_root)
    yield _check("It waits for its limits.", "the probe began before its limits were set", not outside.held)
    on_disk = ", ".join(outside.on_disk)
    problem = f"{on_disk} lie on a disk, whose cache can tell a bot's next game what it has read"
    yield Check("All its files are in memory.", problem if outside.on_disk else "", for_ratings=True)
    if not outside.on_disk:
        problem = "its files have holes, for which reading allocates memory"
        yield Check("Its files have no holes.", problem if any(map(has_holes, folders)) else "")


def _check(name: str, problem: str, wrong: object) -> Check:
    return Check(name, problem if wrong else "")


def _on_the_way(place: str) -> set[str]:
    """The one name in a folder that an interpreter outside ``/usr`` needs there."""
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
    """Whether uploaded code may run here, and whether its games may be ``rated``.

    If not, ``problem`` and ``remedy`` are sentences for the site's operator. ``checks`` are the single properties that
    were looked at, empty where the probe could not be started.
    """

    ok: bool
    rated: bool = False
    python_version: str = ""
    problem: str = ""
    remedy: str = ""
    checks: tuple[Check, ...] = ()


def sandbox() -> tuple[SandboxLauncher | None, SelfTest]:
    """The sandbox of this process and its self-test; ``None`` where it did not pass.

    What has passed is tested once. Otherwise it is tested again after ``RETRY_S``, so that a repair is noticed.
    """
    with _ONE_AT_A_TIME:  # whoever asks while the test runs waits for it
        found = _sandbox()
        if not _may_be_better(found):
            return found.launcher, found.test
        for known in (_sandbox, bots_interpreter, bots_library, packages):
            known.cache_clear()
        found = _sandbox()
        return found.launcher, found.test


def _may_be_better(found: _Tested) -> bool:
    """Whether another self-test could end better. One that only allows no rated games needs a file system in memory."""
    if found.test.rated or monotonic() < found.tested_s + RETRY_S:
        return False
    if not found.test.ok:
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
    """The result of this process's last self-test."""
    return sandbox()[1]


def prove(launcher: SandboxLauncher) -> SelfTest:
    """Start the probe through ``launcher`` and judge what it sees; only this makes the launcher take uploaded code."""
    launcher.proved = False
    try:
        version, checks = _look(launcher)
    except PlatformFailure as failure:
        return _failed(f"The probe could not be started: {failure}.")
    except NoAnswer as said:
        return _failed(f"The probe did not answer from inside the sandbox: {said}.")
    leaks = [check.problem for check in checks if not check.ok and not check.for_ratings]
    if leaks:
        return _failed("The sandbox does not hold: " + "; ".join(leaks) + ".", checks)
    launcher.proved = True
    hints = [check.problem for check in checks if not check.ok]
    problem = f"Uploaded bots play no rated games here: {'; '.join(hints)}." if hints else ""
    return SelfTest(
        ok=True,
        rated=not hints,
        python_version=version,
        problem=problem,
        remedy=remedy(problem) if hints else "",
        checks=checks,
    )


def _look(launcher: SandboxLauncher) -> tuple[str, tuple[Check, ...]]:
    """The interpreter's version, and everything that the probe and the host see.

    Without the filter it is started only where it was well kept before: there it tries what must not happen outside.
    """
    seen, outside = look_as_a_bot(launcher, list(hidden_places()))
    told = {**bubblewrap.ENVIRONMENT, **environment(CODE)}
    checks = [
        *judge_world(seen, launcher.root, limit_values(LIMITS), told),
        *judge_from_outside(outside, (launcher.root, launcher.copy_of(CODE))),
    ]
    if all(check.ok or check.for_ratings for check in checks):
        checks += judge_walls(look_without_a_filter(launcher))
    return str(seen["python"]), tuple(checks)


def hidden_places() -> Iterator[Path]:
    """Folders of the platform into which no bot may see: other bots' programs, its data, and what lies beside it."""
    yield runtime_folder()
    above = Path(bots.__file__).resolve().parent.parent
    if above.name not in _PACKAGES:
        yield above
    data = os.environ.get("VAR_DIR")
    if data:
        yield Path(data).resolve()


def _failed(problem: str, checks: tuple[Check, ...] = ()) -> SelfTest:
    return SelfTest(ok=False, problem=problem, remedy=remedy(problem), checks=checks)
