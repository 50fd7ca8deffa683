"""Start bots in the sandbox: bubblewrap, a seccomp filter and resource limits, with one process per seat."""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bots.languages import Language
from bots.protocol import Limits
from bots.runner.launcher import NeverBegun, PlatformFailure
from bots.runner.spec import HouseProgram, LocalProgram, Program, StoredProgram
from bots.sandbox import bubblewrap, library, memory
from bots.sandbox.code import Code, code_of, forget_old_copies, staged
from bots.sandbox.host_process import HostProcess, Pipes, release_ended
from bots.sandbox.interpreter import command, environment, program_of
from bots.sandbox.leases import Leases, SandboxSeat, seats_folder
from bots.sandbox.limits import (
    as_user,
    disable_huge_pages,
    offer_to_the_out_of_memory_killer,
    require_linux,
    set_limits,
)
from bots.sandbox.root import forget_old_roots, root_folder
from bots.sandbox.runtime import own_folder, runtime_folder
from bots.sandbox.seccomp import bot_filter

PROBE: Final = Path(__file__).resolve().parent / "probe"
"""The folder of the programs that the platform itself runs in the sandbox."""

_PREPARED_MS: Final = 10_000
_LAST_SIGNAL: Final = 64
"""The highest signal number of Linux. bubblewrap reports signal N as exit status 128 + N."""

_SAID_MS: Final = 1000
"""Maximum wait for bubblewrap's last output after it ended. After a failure, its pipe can stay open."""

_MOST_PIPES: Final = 256
"""Maximum number of extra pipes per start that blur pipe numbers (docs/concepts/security-model.md has the cost)."""

_OUTSIDE: Final = {"ESR_OUTSIDE": "1"}
"""The environment around a sandbox. No bot sees it; the self-test would detect that."""

_BWRAP_DIRECTORIES: Final = ("/usr/bin", "/usr/local/bin", "/bin")


def find_bubblewrap(folders: Sequence[str] = _BWRAP_DIRECTORIES) -> Path:
    """Return the program ``bwrap`` of this host. Raises ``PlatformFailure`` if there is none."""
    for folder in folders:
        path = Path(folder, "bwrap")
        if os.access(path, os.X_OK):
            return path
    raise PlatformFailure("bubblewrap is not installed")


def _nothing(_pid: int, _pipes: Pipes) -> None:
    """Do nothing with a bot that waits for its limits."""


@dataclass(frozen=True)
class SelfTestOptions:
    """Differences between the probe of the self-test and a bot: another filter, and a check while it waits."""

    bpf: Callable[[], bytes] = bot_filter
    while_held: Callable[[int, Pipes], None] = _nothing


BOT: Final = SelfTestOptions()
"""The options with which every bot is started."""


class SandboxLauncher:
    """Starts any program in a separate sandbox. Uploaded code runs only here.

    ``proved`` is true after a probe that was started in the same way in this process saw what a bot should see. Before
    that, no stored program is started (``bots.sandbox.proof`` sets it). ``roots`` are the folders that bots see as
    ``/``, by the program of a runtime; the one with an empty name is that of Python and executables.
    """

    def __init__(self, bwrap: Path | None = None, runtime: Path | None = None) -> None:
        """Raise ``PlatformFailure`` if this system cannot have a sandbox."""
        require_linux()
        disable_huge_pages()
        self._bwrap = bwrap or find_bubblewrap()
        self._runtime = own_folder(runtime) if runtime else runtime_folder()
        if os.statvfs(self._runtime).f_flag & os.ST_NOEXEC:
            raise PlatformFailure(f"cannot start programs from {self._runtime}, which is mounted with noexec")
        self.roots = {"": root_folder(self._runtime)}
        self._leases = Leases(seats_folder(self._runtime))
        self.proved = self.swept = False

    def start(self, program: Program, limits: Limits) -> HostProcess:
        """Start ``program``, with its limits in effect before its first instruction. Raises ``PlatformFailure``."""
        if not isinstance(program, HouseProgram | StoredProgram | LocalProgram):
            raise PlatformFailure(f"the sandbox can only start programs, not {program!r}")
        if isinstance(program, StoredProgram) and not self.proved:
            raise PlatformFailure(
                "untrusted code cannot run before the sandbox has passed its self-test in this process"
            )
        return self.start_code(code_of(program), limits)

    def start_code(self, code: Code, limits: Limits, trial: SelfTestOptions = BOT) -> HostProcess:
        """Start verified code. ``trial`` is only for the self-test."""
        return self._start(code, command(code, Path(bubblewrap.HOME), limits.memory_mb), limits, trial)

    def start_version(self, language: Language, limits: Limits) -> HostProcess:
        """Start the runtime of ``language`` with its options to print its version. Raises ``PlatformFailure``.

        It is a program of the runtime that runs under the limits, so what works here also works for bots.
        """
        assert language.runtime is not None
        words = [str(program_of(language)), *language.runtime.options(limits.memory_mb), *language.runtime.version]
        return self._start(Code(PROBE, language.entry, (), ""), words, limits, BOT)

    def _start(self, code: Code, words: list[str], limits: Limits, trial: SelfTestOptions) -> SandboxedProcess:
        variables = environment(library.PLACE) if code.imports_packages else {}
        if code.language.runtime is not None:
            variables = {"LD_ORIGIN_PATH": str(Path(words[0]).parent)}  # the loader finds it in /proc otherwise
        world = _World(words, self._used_root(code.language), self.copy_of(code), variables)
        release_ended()
        with self._leases.for_a_start() as lease:
            try:
                _blur_pipe_numbers()
                return _start(self._command(lease, limits), world, limits, lease, trial)
            except OSError as error:
                raise PlatformFailure(f"could not start a sandbox: {error}") from error

    def copy_of(self, code: Code) -> Path:
        """Return the copy of the code's folder that its bots see as ``/bot``. Raises ``PlatformFailure``."""
        return staged(code, self._runtime)

    @property
    def root(self) -> Path:
        """The root of bots in Python and of executables."""
        return self.roots[""]

    def _used_root(self, language: Language) -> Path:
        """Return the root of a language and record its use. Raises ``PlatformFailure``."""
        name = language.runtime.program if language.runtime is not None else ""
        try:
            os.utime(self.roots[name].parent)
        except (KeyError, FileNotFoundError):  # the first use, or another worker removed it when it was not in use
            self.roots[name] = root_folder(self._runtime, language)
        except OSError as error:
            raise PlatformFailure(f"cannot use the root folder of bots: {error}") from error
        return self.roots[name]

    def sweep(self) -> int:
        """End processes that dead workers left on this host, and remove old copies. Return the number of processes."""
        self.swept = True
        forget_old_copies(self._runtime)
        forget_old_roots(self._runtime)
        memory.sweep()
        return self._leases.sweep()

    def _command(self, lease: SandboxSeat, limits: Limits) -> list[str]:
        before = [] if lease.uid is None else as_user(lease.uid, limits)
        return [*before, str(self._bwrap)]


@dataclass(frozen=True)
class _World:
    """The contents of a sandbox: command line, root, the bot's own files, and additional environment."""

    command: list[str]
    root: Path
    folder: Path
    environment: dict[str, str]


@dataclass
class _Status:
    """The status reports of bubblewrap, one JSON object per line."""

    descriptor: int
    text: bytes = b""

    def child_pid(self) -> int | None:
        """Return the pid of the bot as soon as it exists, or ``None`` if bubblewrap failed before."""
        deadline = time.monotonic() + _PREPARED_MS / 1000
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        while b"\n" not in self.text:
            left_ms = (deadline - time.monotonic()) * 1000
            if left_ms <= 0 or not poll.poll(left_ms) or not self._read():
                return None
        return self.named_pid()

    def named_pid(self) -> int | None:
        """Return the pid that bubblewrap has reported so far."""
        return _json(self.text.split(b"\n")[0]).get("child-pid")

    def exec_was_reached(self) -> bool:
        """Return whether the bot's own program began, after all has ended. Only then is its exit status reported."""
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        while poll.poll(_SAID_MS) and self._read():
            pass
        return any("exit-code" in _json(line) for line in self.text.splitlines())

    def close(self) -> None:
        os.close(self.descriptor)

    def _read(self) -> bool:
        data = os.read(self.descriptor, 4096)
        self.text += data
        return bool(data)


def _json(line: bytes) -> dict[str, int]:
    try:
        document = json.loads(line)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


class SandboxedProcess(HostProcess):
    """A bot behind the monitor of bubblewrap."""

    def __init__(
        self, child: subprocess.Popen[bytes], pid: int, pipes: Pipes, lease: SandboxSeat, status: _Status
    ) -> None:
        super().__init__(child, pid, pipes, lease.release)
        self._status_lines = status
        self.own_program = ""
        """The bot's own file to execute; empty for an interpreter. If it is not a program, the bot fails."""

    def _status(self, returncode: int) -> int | None:
        """Return the bot's exit status. Raises ``NeverBegun`` if the platform did not complete its sandbox."""
        begun = self._status_lines.exec_was_reached()
        self._status_lines.close()
        if not begun and not self._monitor_killed:  # killed by us, it could not say
            raise NeverBegun("bubblewrap failed before the bot was started", self.own_program)
        return 128 - returncode if 128 < returncode <= 128 + _LAST_SIGNAL else returncode


def _start(
    before: list[str], world: _World, limits: Limits, lease: SandboxSeat, trial: SelfTestOptions
) -> SandboxedProcess:
    """Start bubblewrap, hold the bot until its limits are set, and release it."""
    with ExitStack() as always, ExitStack() as on_failure:
        with ExitStack() as of_child:
            pipes = Pipes.open()
            on_failure.callback(pipes.close_ours)
            of_child.callback(pipes.close_theirs)
            status_in, status_out = _pipe(on_failure, of_child)
            blocked, release = _pipe(of_child, always)
            seccomp = _file(trial.bpf(), of_child)
            options = bubblewrap.options(
                world.root, world.folder, world.environment, status_fd=status_out, block_fd=blocked, seccomp_fd=seccomp
            )
            arguments = _file(options, of_child)
            handed = (status_out, blocked, seccomp, arguments)
            child = _spawn([*before, "--args", str(arguments), "--", *world.command], pipes, handed)
        status = _Status(status_in)
        on_failure.callback(_end, child, status)
        process = _release(child, status, release, pipes, lease, limits, trial)
        if Path(world.command[0]).is_relative_to(bubblewrap.HOME):
            process.own_program = world.command[0]
        on_failure.pop_all()
        return process


def _blur_pipe_numbers() -> None:
    """Advance the kernel's pipe numbers by a random amount, because a bot can read and change them."""
    for _ in range(secrets.randbelow(_MOST_PIPES)):
        for end in os.pipe():
            os.close(end)


def _end(child: subprocess.Popen[bytes], status: _Status) -> None:
    """End a failed start before ``release`` is closed, because a waiting bot would take that as permission to run."""
    if child.poll() is None:
        pid = status.named_pid()
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        child.kill()
        child.wait()


def _release(
    child: subprocess.Popen[bytes],
    status: _Status,
    release: int,
    pipes: Pipes,
    lease: SandboxSeat,
    limits: Limits,
    trial: SelfTestOptions,
) -> SandboxedProcess:
    pid = status.child_pid()
    try:
        if pid is None:
            raise ProcessLookupError
        process = SandboxedProcess(child, pid, pipes, lease, status)
    except ProcessLookupError:
        child.kill()
        child.wait()
        raise PlatformFailure(f"bubblewrap did not start: {_last_words(pipes) or 'no output'}") from None
    lease.note(child.pid)
    try:
        process.bound_memory(limits)
        if lease.uid is None:
            set_limits(pid, limits, count_threads=True)
    except PlatformFailure:
        process.drop()
        raise
    offer_to_the_out_of_memory_killer(pid)
    trial.while_held(pid, pipes)
    with suppress(BrokenPipeError):  # it has failed already, which shows when it is stopped
        os.write(release, b"1")
    return process


def _last_words(pipes: Pipes) -> str:
    """Return what an ended process has left on stderr."""
    os.set_blocking(pipes.stderr, False)
    try:
        return os.read(pipes.stderr, 2000).decode(errors="replace").strip()
    except BlockingIOError:
        return ""


def _spawn(command: list[str], pipes: Pipes, handed: tuple[int, ...]) -> subprocess.Popen[bytes]:
    stdin, stdout, stderr = pipes.theirs
    return subprocess.Popen(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=handed,
        env=_OUTSIDE,
        cwd="/",
        start_new_session=True,
    )


def _pipe(reading: ExitStack, writing: ExitStack) -> tuple[int, int]:
    """Return a new pipe whose ends are closed with these stacks."""
    ends = os.pipe()
    for end, stack in zip(ends, (reading, writing), strict=True):
        stack.callback(os.close, end)
    return ends


def _file(data: bytes, stack: ExitStack) -> int:
    """Return a descriptor that reads ``data`` from its beginning and is closed with the stack."""
    descriptor = os.memfd_create("bot")
    stack.callback(os.close, descriptor)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
