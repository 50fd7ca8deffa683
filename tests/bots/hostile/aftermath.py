"""What a hostile program did: its game, the games beside it, and everything afterwards."""

from __future__ import annotations

import gc
import os
import resource
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from bots.protocol import Limits
from bots.sandbox import SandboxLauncher
from bots.sandbox.leases import started_at
from bots.sandbox.memory import OVERSHOOT_MB
from bots.sandbox.runtime import runtime_folder
from games.record import verify
from tests.bots.hostile.kind import Hostile
from tests.bots.hostile.matches import Played, Started, play

MARK: Final = "esr-hostile"
"""What hostile programs call everything they try to leave."""

MAX_GROWTH_KIB: Final = 64 * 1024
MAX_BOT_KIB: Final = (Limits().memory_mb + OVERSHOOT_MB) * 1024
"""The largest resident size that the kernel may report of a bot."""

_SHARED: Final = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/dev/mqueue", "/dev")
_LISTS: Final = ("net/unix", "keys")
_OF_USERS: Final = {"sysvipc/shm": ("uid", "cuid"), "sysvipc/msg": ("uid", "cuid"), "sysvipc/sem": ("uid", "cuid")}
"""Lists of what outlives its maker, with the columns that name users. Their pids may be those of others by now."""


@dataclass(frozen=True)
class Worker:
    """This process, as far as a bot could change it."""

    descriptors: frozenset[str]
    children: frozenset[str]
    limits: tuple[tuple[int, int], ...]
    handlers: tuple[Any, ...]
    priority: tuple[int, frozenset[int], int]
    folder: str

    @classmethod
    def now(cls) -> Worker:
        """As it is, without what earlier tests have left to the collector."""
        gc.collect()
        names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
        return cls(
            frozenset(os.listdir("/proc/self/fd")),
            frozenset(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()),
            tuple(resource.getrlimit(getattr(resource, name)) for name in names),
            tuple(signal.getsignal(number) for number in signal.valid_signals()),
            (os.getpriority(os.PRIO_PROCESS, 0), frozenset(os.sched_getaffinity(0)), os.sched_getscheduler(0)),
            str(Path.cwd()),
        )


def copies() -> dict[str, str]:
    """Every copy of a program in the runtime folder, and what is in it and says about it."""
    marks = {}
    for place in (runtime_folder() / "copies").glob("*/bot"):
        with suppress(FileNotFoundError):
            marks[str(place)] = _contents(place)
    return marks


def reset_peak() -> None:
    """Let the largest size of this process be counted anew."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_kib() -> int:
    """The largest size of this process since then."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1])


def largest_bot_kib() -> int:
    """The largest resident size of all bots of this process so far, as the kernel saw it."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def harm_to_the_game(hostile: Hostile, played: Played) -> list[str]:
    """What is not as it should be about the game: the verdict, and what it said for itself."""
    report = played.report
    bad, good = report.seats
    strikes = tuple(strike.reason for strike in bad.strikes)
    gone = {forfeit.seat: forfeit.reason for forfeit in report.forfeits}
    checks = {
        f"it ended by {gone.get(0)}": gone.get(0) != hostile.forfeit,
        f"its strikes were {strikes}": strikes != hostile.strikes and (hostile.strikes or hostile.forfeit is None),
        "it did not say what it should": hostile.says not in bad.stderr_tail,
        f"it got {_got(bad.stderr_tail)}": _got(bad.stderr_tail),
        "its stderr is too long": len(bad.stderr_tail) > 65_536,
        "its game was to be played again": report.play_again and hostile.forfeit,
        f"its opponent had {good.strikes}": good.strikes or 1 in gone or good.exit_status != 0,
        "the record does not hold": verify(report.record, report.forfeits_by_seat).outcome != report.record["outcome"],
    }
    return [f"{sentence}: {bad.stderr_tail[-1500:]}" for sentence, wrong in checks.items() if wrong]


def harm_beside(played: Played) -> list[str]:
    """What happened to the games that this worker played at the same time."""
    if not played.beside:
        return ["no game was played beside it"]
    return [
        f"beside it: {report.forfeits} {[seat.strikes for seat in report.seats]}"
        for report in played.beside
        if report.forfeits or any(seat.strikes or seat.exit_status != 0 for seat in report.seats)
    ]


def left_behind(played: Played, copies_before: dict[str, str]) -> list[str]:
    """What is still there of its processes, and in all places where something could have been kept."""
    after = copies()
    return [
        *(f"process {pid} is left" for pid in _survivors(played.started)),
        *(f"{place}/{name} is left" for place in _SHARED for name in _names(place) if MARK in name),
        *(f"/proc/{name} lists it" for name in _LISTS if MARK in _text(name)),
        *(f"/proc/{name} lists its user" for name in _OF_USERS if _names_a_user(name, played.started)),
        *(["/proc/locks lists a process of it"] if _lock_is_left(played.started) else []),
        *(f"{place} was changed" for place, seen in copies_before.items() if after.get(place, seen) != seen),
    ]


def _survivors(started: Sequence[Started]) -> list[int]:
    """Processes that were started and live, and others of their users in their process namespaces.

    A namespace's number is given to another one when it is gone, so it alone says nothing.
    """
    ours = os.readlink("/proc/self/ns/pid")
    worlds = {(process.namespace, process.uid) for process in started if process.namespace != ours}
    left = [process.pid for process in started if process.began and started_at(process.pid) == process.began]
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError):
                if (os.readlink(f"/proc/{entry.name}/ns/pid"), entry.stat().st_uid) in worlds:
                    left.append(int(entry.name))
    return left


def _names_a_user(name: str, started: Sequence[Started]) -> bool:
    users = {str(process.uid) for process in started if process.uid != os.geteuid()}
    columns, *rows = [line.split() for line in _text(name).splitlines()] or [[]]
    return any(row[columns.index(column)] in users for row in rows for column in _OF_USERS[name])


def _lock_is_left(started: Sequence[Started]) -> bool:
    """Whether the host lists a lock that one of them took; a pid that somebody else has by now says nothing."""
    theirs = {
        str(process.pid) for process in started if process.began and started_at(process.pid) in (0, process.began)
    }
    return any(line.replace("->", "").split()[4] in theirs for line in _text("locks").splitlines())


def _names(place: str) -> list[str]:
    return os.listdir(place) if Path(place).is_dir() else []


def _text(name: str) -> str:
    try:
        return Path(f"/proc/{name}").read_text(errors="replace")
    except OSError:
        return ""


def _contents(place: Path) -> str:
    digest = sha256()
    for path in sorted([place, *place.rglob("*")]):
        status = path.lstat()
        digest.update(
            f"{path}\0{status.st_mode}\0{status.st_uid}\0{status.st_atime_ns}\0{status.st_mtime_ns}\0".encode()
        )
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def _got(output: str) -> str:
    return next((line for line in output.splitlines() if line.startswith("got ")), "")


def harm(launcher: SandboxLauncher, hostile: Hostile) -> list[str]:
    """Everything that is not as it should be after one game of ``hostile``; empty if it got its verdict and no more."""
    worker, seen = Worker.now(), copies()
    reset_peak()
    size_kib = peak_kib()
    bot_kib = largest_bot_kib()
    played = play(launcher, hostile)
    grown_kib = peak_kib() - size_kib
    faults = [*harm_to_the_game(hostile, played), *harm_beside(played), *left_behind(played, seen)]
    if Worker.now() != worker:
        faults.append(f"the worker was {worker} and is {Worker.now()}")
    if grown_kib > MAX_GROWTH_KIB:
        faults.append(f"the worker grew by {grown_kib} KiB")
    if not hostile.maps_files and largest_bot_kib() > max(bot_kib, MAX_BOT_KIB):
        faults.append(f"a bot had {largest_bot_kib()} KiB")
    return faults
