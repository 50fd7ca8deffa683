"""Start a bot with an empty environment and resource limits, and measure it with functions of Linux."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from bots.protocol import Limits
from bots.runner.launcher import PlatformFailure
from bots.sandbox import memory
from bots.sandbox.code import Code, forget_old_copies, staged
from bots.sandbox.host_process import HostProcess, Pipes, release_ended
from bots.sandbox.interpreter import command, environment
from bots.sandbox.leases import Leases, SandboxSeat, seats_folder
from bots.sandbox.library import forget_old_libraries, library_folder
from bots.sandbox.limits import as_powerless_user, offer_to_the_out_of_memory_killer, set_limits
from bots.sandbox.runtime import runtime_folder


class LimitedStarter:
    """A :class:`~bots.sandbox.launchers.Starter` for Linux. If this process is root, each seat is a separate user."""

    caution = ""

    def __init__(self, runtime: Path | None = None) -> None:
        self._runtime = runtime or runtime_folder()
        self._leases = Leases(seats_folder(self._runtime))

    def start(self, code: Code, limits: Limits) -> HostProcess:
        """Start verified code. Raises ``OSError`` or ``PlatformFailure`` if that fails."""
        release_ended()
        with self._leases.for_a_start() as lease:
            return _start(code, limits, lease, self._runtime)

    def sweep(self) -> int:
        """End processes that dead workers left on this host, and remove old copies. Return the number of processes."""
        forget_old_copies(self._runtime)
        forget_old_libraries(self._runtime)
        memory.sweep()
        return self._leases.sweep()


def _start(code: Code, limits: Limits, lease: SandboxSeat, runtime: Path) -> HostProcess:
    folder = staged(code, runtime) if code.shared or lease.uid is not None else code.folder
    variables = environment(library_folder(runtime)) if code.imports_packages else {}
    before = [] if lease.uid is None else as_powerless_user(lease.uid, limits)
    pipes = Pipes.open()
    stdin, stdout, stderr = pipes.theirs
    try:
        child = subprocess.Popen(
            [*before, *command(code, folder, limits.memory_mb)], stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder,
            env=variables, start_new_session=True,
        )  # fmt: skip
    except BaseException:
        pipes.close_ours()
        raise
    finally:
        pipes.close_theirs()
    lease.note(child.pid)
    process = LimitedProcess(child, pipes, lease)
    if code.kind == "local" and folder != code.folder:
        process.copied = str(folder), str(code.folder)
    try:
        process.bound_memory(limits)
        if lease.uid is None:
            set_limits(child.pid, limits, count_threads=False)
    except PlatformFailure:
        process.drop()
        pipes.close_ours()
        raise
    offer_to_the_out_of_memory_killer(child.pid)
    return process


class LimitedProcess(HostProcess):
    """A bot that is a direct child of this process."""

    def __init__(self, child: subprocess.Popen[bytes], pipes: Pipes, lease: SandboxSeat) -> None:
        super().__init__(child, child.pid, pipes, lease.release)
        self._lease = lease

    def _end_company(self) -> None:
        """End the processes that it has started: its group and, as root, all processes of its seat's user."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._lease.clear()
