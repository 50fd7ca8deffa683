"""Start and end a bot with functions that Python has on every system. Nothing is limited or measured."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from bots.protocol import Limits
from bots.runner.launcher import PlatformFailure
from bots.sandbox.code import Code
from bots.sandbox.host_process import Pipes
from bots.sandbox.interpreter import command, environment
from bots.sandbox.library import local_library

CAUTION: Final = (
    "Bots run without a sandbox and without a memory limit on this system. They have the same permissions as you. "
    "Run only bots that you trust."
)
_END_S: Final = 5.0
_KEPT_VARIABLES: Final = ("SYSTEMROOT",)
"""Environment variables without which Windows does not start Python."""

_APART: Final = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""Options that keep Ctrl-C from the bot: a process group on Windows, a session elsewhere."""


class PortableStarter:
    """A :class:`~bots.sandbox.launchers.Starter` for Windows, macOS and other systems besides Linux."""

    caution = CAUTION

    def start(self, code: Code, limits: Limits) -> PortableProcess:
        """Start verified code. Limits only set its heap. Raises ``OSError`` or ``PlatformFailure``."""
        folder = _copy_of(code) if code.shared else code.folder
        variables = environment(local_library()) if code.imports_packages else {}
        pipes = Pipes.open()
        stdin, stdout, stderr = pipes.theirs
        kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        try:
            child = subprocess.Popen(
                command(code, folder, limits.memory_mb), stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder,
                env={**kept, **variables}, start_new_session=True, creationflags=_APART,
            )  # fmt: skip
        except BaseException:
            pipes.close_ours()
            raise
        finally:
            pipes.close_theirs()
        return PortableProcess(child, pipes)

    def sweep(self) -> int:
        """Do nothing: processes of dead workers are not recorded here."""
        return 0


class PortableProcess:
    """A bot that is a direct child of this process. Its processor time is unknown, so it is never paused."""

    knows_cpu = False
    copied: tuple[str, str] | None = None

    def __init__(self, child: subprocess.Popen[bytes], pipes: Pipes) -> None:
        self.child, self.pid = child, child.pid
        self.stdin, self.stdout, self.stderr = pipes.stdin, pipes.stdout, pipes.stderr
        self._tree_killer: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def cpu_ns(self) -> int:
        return 0

    def run_delay_ns(self) -> int:
        return 0

    def runner_delay_ns(self) -> int:
        return 0

    def computes(self) -> bool:
        return True

    def host_stall_ns(self) -> int:
        return 0

    def gave_up_stdout(self) -> bool:
        return self.child.poll() is not None

    def exceeded_memory(self) -> bool:
        return False

    def pause(self) -> None:
        """Do nothing: it is never called, because the processor time is unknown."""

    def resume(self) -> None:
        """Do nothing: the process is never paused."""

    def kill(self) -> None:
        if self.child.poll() is not None:
            return
        if hasattr(os, "killpg"):
            self._end_group()
        elif self._tree_killer is None:
            self._tree_killer = _kill_tree(self.pid)
        if self._tree_killer is None:
            self.child.kill()

    def exited(self, patience_ms: int) -> bool:
        return self._gone(patience_ms / 1000)

    def stop(self, patience_ms: int = 0) -> int | None:
        """Wait, end it with all its known child processes, and wait. Raises ``PlatformFailure``."""
        if not self._stopped:
            self._stopped = True
            if not self._gone(patience_ms / 1000):
                self.kill()
            if self._tree_killer is not None:
                with suppress(subprocess.TimeoutExpired):
                    self._tree_killer.wait(_END_S)
                self.child.kill()
            self._end_group()
            if not self._gone(_END_S):
                raise PlatformFailure(f"process {self.pid} of a bot does not end")
        return self.child.returncode

    def _gone(self, timeout_s: float) -> bool:
        try:
            self.child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _end_group(self) -> None:
        """End the processes in its session, on systems with sessions."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):  # macOS: not permitted if all of them are gone
                os.killpg(self.pid, signal.SIGKILL)


@cache
def _copy_of(code: Code) -> Path:
    """Copy the files of a house bot into a temporary folder, which is removed when this process ends."""
    folder = Path(mkdtemp(prefix="esr-house-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for source in (*code.folder.glob("*.py"), *code.shared):
        shutil.copyfile(source, folder / source.name)
    return folder


def _kill_tree(pid: int) -> subprocess.Popen[bytes] | None:
    """Start the program of Windows that ends a process tree, or return ``None`` if it is missing.

    It finds child processes only while their parent lives.
    """
    program = shutil.which("taskkill")
    if program is None:
        return None
    nothing = subprocess.DEVNULL
    return subprocess.Popen([program, "/T", "/F", "/PID", str(pid)], stdin=nothing, stdout=nothing, stderr=nothing)
