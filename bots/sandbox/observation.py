"""Start the probe like a bot and return its observations."""

from __future__ import annotations

import ctypes
import os
import secrets
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

import orjson

from bots.protocol import Limits
from bots.runner.channel import PolledChannel
from bots.runner.launcher import PlatformFailure
from bots.sandbox.code import Code
from bots.sandbox.host_process import Pipes
from bots.sandbox.sandbox_launcher import PROBE, SandboxLauncher, SelfTestOptions
from bots.sandbox.seccomp import no_filter

PLACES: Final = ("/", "/tmp", "/bot", "/usr", "/dev", "/etc", "/var/tmp", "/dev/shm", "/run")  # noqa: S108
"""Folders in which the probe tries to create a file."""

CODE: Final = Code(PROBE, "bot.py", (), "")
LIMITS: Final = Limits()
_SMALL_MB: Final = 64
"""The limit of the probe that exceeds it."""

_PATIENCE_NS: Final = 10_000_000_000
_LOOK_MS: Final = 100
_LOOKS: Final = 50
"""Number of checks whether the probe waits for its limits. The first one is after it had enough time to report."""

_IN_MEMORY: Final = {"tmpfs", "devtmpfs", "ramfs"}
_WAITING_PROGRAM: Final = "bwrap"

_IPC_CREAT, _IPC_RMID, _EVERYBODY = 0o1000, 0, 0o666


class ProbeFailed(Exception):
    """The probe was started but reported nothing from inside the sandbox. The message is its stderr."""


@dataclass(frozen=True)
class Outside:
    """What only the host can see of the probe: shared namespaces, its user, and whether it could be held.

    ``on_disk`` are the places in its sandbox that are not on a file system in memory.
    """

    shared_namespaces: list[str]
    is_root: bool
    held: bool
    on_disk: list[str]


def look_as_a_bot(launcher: SandboxLauncher, hidden: list[Path]) -> tuple[dict[str, Any], Outside]:
    """Return the view from inside and from the host. ``hidden`` are folders that it must not see.

    Raises ``ProbeFailed``, and ``PlatformFailure`` if it never began.
    """
    early: list[bool] = []
    with NamedTemporaryFile(prefix="esr-host-file-") as host_file:
        os.fchmod(host_file.fileno(), 0o644)
        hello = {"filtered": True, "host_file": host_file.name, "hidden": [str(place) for place in hidden]}
        hello |= {"places": PLACES, "file": f"esr-probe-{secrets.token_hex(8)}"}
        try:
            return _ask(
                launcher, hello, SelfTestOptions(while_held=lambda pid, pipes: early.append(_begins(pid, pipes))), early
            )
        finally:
            for place in PLACES:  # what it could make is on the host, and its filter keeps it from removing it
                with suppress(OSError):
                    Path(place, str(hello["file"])).unlink()


def look_without_a_filter(launcher: SandboxLauncher) -> dict[str, Any]:
    """Return what the probe can do without the seccomp filter only. Raises as :func:`look_as_a_bot` does."""
    with _listeners() as (port, abstract), _shared_memory() as shared:
        hello = {"filtered": False, "port": port, "abstract": abstract, "shared": shared}
        return _ask(launcher, hello, SelfTestOptions(bpf=no_filter), [])[0]


def is_ended_for_memory(launcher: SandboxLauncher) -> bool:
    """Return whether a probe that uses twice its memory is killed for it within ten seconds.

    It makes the memory read-only, so only the bound on resident memory can notice. Raises ``PlatformFailure``.
    """
    process = launcher.start_code(CODE, replace(LIMITS, memory_mb=_SMALL_MB))
    channel = PolledChannel(process)
    try:
        channel.send(orjson.dumps({"hoard": 2 * _SMALL_MB}, option=orjson.OPT_APPEND_NEWLINE))
        first_line(channel)
        first_line(channel)
        exceeded = process.exceeded_memory()
        process.stop()
    finally:
        channel.close()
    return exceeded


def first_line(channel: PolledChannel) -> bytes | None:
    """Return the next line within ten seconds, or ``None`` if there is none or it is too long."""
    deadline_ns = time.perf_counter_ns() + _PATIENCE_NS
    while not channel.lines and not channel.ended:
        left_ns = deadline_ns - time.perf_counter_ns()
        if left_ns <= 0:
            return None
        channel.take(channel.wait(left_ns))
    return channel.lines.popleft() if channel.lines else None


def _ask(
    launcher: SandboxLauncher, hello: dict[str, Any], trial: SelfTestOptions, early: list[bool]
) -> tuple[dict[str, Any], Outside]:
    seed = secrets.token_hex(32)
    process = launcher.start_code(CODE, LIMITS, trial)
    channel = PolledChannel(process)
    channel.send(orjson.dumps({**hello, "seed": seed}, option=orjson.OPT_APPEND_NEWLINE))
    first_line(channel)
    line = first_line(channel)
    outside = look_from_outside(process.pid, held=early == [False])
    failed = ""
    try:
        process.stop()
    except PlatformFailure as failure:
        line, failed = None, f"{failure}: "
    finally:
        channel.close()
    findings = _findings(line, seed)
    if findings is None:
        raise ProbeFailed(failed + channel.stderr_tail()[-500:].strip() or "no output")
    if outside is None:
        raise ProbeFailed("it ended before the host could inspect it")
    return findings, outside


def _findings(line: bytes | None, seed: str) -> dict[str, Any] | None:
    """Return the probe's findings if the line is from this start of the probe."""
    try:
        document = orjson.loads(line or b"")
    except orjson.JSONDecodeError:
        return None
    if not isinstance(document, dict) or document.get("seed") != seed:
        return None
    findings = document.get("findings")
    return findings if isinstance(findings, dict) else None


def _begins(pid: int, pipes: Pipes) -> bool:
    """Return whether a probe that should wait begins: it is no longer bubblewrap, or writes output.

    The probe waits while bubblewrap sleeps, which can take a while on a busy machine.
    """
    poll = select.poll()
    poll.register(pipes.stdout, select.POLLIN)
    for _ in range(_LOOKS):
        if poll.poll(_LOOK_MS):
            return True
        line = Path(f"/proc/{pid}/stat").read_text()
        name, state = line[line.index("(") + 1 : line.rindex(")")], line.rpartition(")")[2].split()[0]
        if name != _WAITING_PROGRAM:
            return True
        if state == "S":
            return False
    return True


def look_from_outside(pid: int, *, held: bool) -> Outside | None:
    """Return what the host sees of the probe, or ``None`` if it has ended and nothing can be concluded."""
    try:
        is_root = Path(f"/proc/{pid}").stat().st_uid == 0
        return Outside(_shared_namespaces(pid), is_root, held, _on_disk(pid))
    except (FileNotFoundError, ProcessLookupError):
        return None


def _shared_namespaces(pid: int) -> list[str]:
    """Return the namespaces that ``pid`` shares with this process; none if a container denies access."""
    shared = []
    for name in ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts"):
        with suppress(PermissionError):
            if os.readlink(f"/proc/{pid}/ns/{name}") == os.readlink(f"/proc/self/ns/{name}"):
                shared.append(name)
    return shared


def _on_disk(pid: int) -> list[str]:
    """Return the places in the sandbox of ``pid`` with files that are not in memory."""
    mounts = (line.partition(" - ") for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines())
    return [before.split()[4] for before, _, after in mounts if after.split()[0] not in _IN_MEMORY]


@contextmanager
def _listeners() -> Iterator[tuple[int, str]]:
    """Yield a TCP port and an abstract socket of the host with a listener."""
    abstract = f"esr-probe-{secrets.token_hex(8)}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{abstract}")
        local.listen()
        yield server.getsockname()[1], abstract


@contextmanager
def _shared_memory() -> Iterator[int | None]:
    """Yield a segment of System V shared memory that everyone can read, if the host has any."""
    libc = ctypes.CDLL(None)
    with ExitStack() as stack:
        number = libc.shmget(0, 4096, _IPC_CREAT | _EVERYBODY)
        if number != -1:
            stack.callback(libc.shmctl, number, _IPC_RMID, None)
        yield None if number == -1 else number
