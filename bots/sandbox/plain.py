"""Starts trusted code as plain processes: house bots where there is no sandbox, one's own bots on one's machine."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from bots.protocol import Limits
from bots.runner.failures import PlatformFailure
from bots.runner.spec import HouseProgram, LocalProgram, Program
from bots.sandbox.code import Code, code_of, forget_old_copies, staged
from bots.sandbox.host_process import HostProcess, Pipes
from bots.sandbox.interpreter import OPTIONS, bots_interpreter
from bots.sandbox.leases import Lease, Leases
from bots.sandbox.limits import as_powerless_user, offer_to_the_out_of_memory_killer, set_limits
from bots.sandbox.runtime import runtime_folder


class PlainLauncher:
    """Starts house bots and folders of this machine with an empty environment and resource limits, and nothing more.

    Where we are root, each seat is a user of its own. Uploaded code is refused here, and no setting changes that.
    """

    def __init__(self, runtime: Path | None = None) -> None:
        self._runtime = runtime or runtime_folder()
        self._leases = Leases(self._runtime / "seats")

    def start(self, program: HouseProgram | LocalProgram, limits: Limits) -> HostProcess:
        """Start ``program``. Raises ``PlatformFailure``, also for a program of any other kind."""
        if type(program) not in (HouseProgram, LocalProgram):
            raise PlatformFailure(f"only the house's and one's own bots run outside the sandbox, not {program!r}")
        code = code_of(program)
        with self._leases.for_a_start() as lease:
            try:
                return _start(code, limits, lease, self._runtime)
            except OSError as error:
                raise PlatformFailure(f"a bot could not be started: {error}") from error

    def sweep(self) -> int:
        """End what dead workers have left on this host, and forget old copies; how many processes there were."""
        forget_old_copies(self._runtime)
        return self._leases.sweep()


class HouseOnlyLauncher(PlainLauncher):
    """What a ladder has on a machine without a sandbox: its own house bots, and nothing else."""

    def start(self, program: Program, limits: Limits) -> HostProcess:
        """Start a house bot. Raises ``PlatformFailure``, also for anything else."""
        if not isinstance(program, HouseProgram):
            raise PlatformFailure("this machine has no working sandbox; only house bots play")
        return super().start(program, limits)


def _start(code: Code, limits: Limits, lease: Lease, runtime: Path) -> HostProcess:
    folder = code.folder if lease.uid is None else staged(code, runtime)
    before = [] if lease.uid is None else as_powerless_user(lease.uid, limits)
    pipes = Pipes.open()
    stdin, stdout, stderr = pipes.theirs
    try:
        child = subprocess.Popen(
            [*before, *_command(code, folder)], stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder, env={},
            start_new_session=True,
        )  # fmt: skip
    except BaseException:
        pipes.close_ours()
        raise
    finally:
        pipes.close_theirs()
    lease.note(child.pid)
    process = PlainProcess(child, pipes, lease)
    try:
        if lease.uid is None:
            set_limits(child.pid, limits, count_threads=False)
    except PlatformFailure:
        process.drop()
        pipes.close_ours()
        raise
    offer_to_the_out_of_memory_killer(child.pid)
    return process


def _command(code: Code, folder: Path) -> list[str]:
    if code.is_python:
        return [str(bots_interpreter().path), *OPTIONS, code.entry, *code.args]
    return [str(folder / code.entry), *code.args]


class PlainProcess(HostProcess):
    """A bot that is our own child."""

    def __init__(self, child: subprocess.Popen[bytes], pipes: Pipes, lease: Lease) -> None:
        super().__init__(child, child.pid, pipes, lease.release)
        self._lease = lease

    def _end_company(self) -> None:
        """End what it has started: its group, and as root all that runs as its seat's user."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._lease.clear()
