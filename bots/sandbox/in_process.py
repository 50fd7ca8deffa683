"""Fake bots for tests: functions of this process instead of programs. Use them only for trusted code."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import orjson

from bots.protocol import Limits
from bots.runner.launcher import PlatformFailure
from bots.runner.spec import FakeProgram
from games.rules import Document


class InProcessLauncher:
    """Runs :class:`FakeProgram` in threads behind real pipes. It accepts no other kind of program.

    The function of a fake gets ``hello``, every ``decide`` and ``end``. What it returns for a ``decide`` is its move.
    ``bytes`` are written unchanged, also for ``hello``; any other result for ``hello`` means ``ready``. ``SystemExit``
    ends the fake as it would end a process.
    """

    def start(self, program: FakeProgram, limits: Limits) -> _FakeProcess:  # noqa: ARG002 - a thread has no limits
        """Start a fake. Raises ``PlatformFailure`` for any other program."""
        if type(program) is not FakeProgram:
            raise PlatformFailure(f"the in-process launcher runs only fake bots, not {program!r}")
        return _FakeProcess(program)


class _FakeProcess:
    """The thread and the pipes of one fake, with the interface of a process."""

    knows_cpu = hasattr(time, "pthread_getcpuclockid")
    copied: tuple[str, str] | None = None

    def __init__(self, program: FakeProgram) -> None:
        self._program = program
        self._inbox, self.stdin = os.pipe()
        self.stdout, self._outbox = os.pipe()
        self.stderr, self._errors = os.pipe()
        self._status: int | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def cpu_ns(self) -> int:
        if not self.knows_cpu or not self._thread.is_alive() or self._thread.ident is None:
            return 0
        with suppress(OSError):
            return time.clock_gettime_ns(time.pthread_getcpuclockid(self._thread.ident))
        return 0

    def run_delay_ns(self) -> int:
        return self._program.run_delay_ns()

    def runner_delay_ns(self) -> int:
        return self._program.runner_delay_ns()

    def computes(self) -> bool:
        return self._program.computes()

    def host_stall_ns(self) -> int:
        return self._program.host_stall_ns()

    def gave_up_stdout(self) -> bool:
        return not self._thread.is_alive()

    def exceeded_memory(self) -> bool:
        return False

    def pause(self) -> None:
        """Do nothing: a thread cannot be suspended."""

    def resume(self) -> None:
        """Do nothing: a thread cannot be suspended."""

    def kill(self) -> None:
        """Do nothing: a thread cannot be killed. It ends with its pipes."""

    def exited(self, patience_ms: int) -> bool:
        self._thread.join(patience_ms / 1000)
        return not self._thread.is_alive()

    def stop(self, patience_ms: int = 0) -> int | None:
        self._thread.join(patience_ms / 1000)
        return self._status

    def _run(self) -> None:
        try:
            for line in self._lines():
                answer = self._answer(orjson.loads(line))
                if answer:
                    _write(self._outbox, answer)
            self._status = 0
        except SystemExit as leaving:
            self._status = leaving.code if isinstance(leaving.code, int) else 1
        except OSError:
            self._status = 1
        finally:
            for descriptor in (self._inbox, self._outbox, self._errors):
                os.close(descriptor)

    def _lines(self) -> Iterator[bytes]:
        with os.fdopen(os.dup(self._inbox), "rb") as inbox:
            yield from inbox

    def _answer(self, message: Document) -> bytes:
        answer: Any = self._program.play(message)
        if isinstance(answer, bytes):
            return answer
        if message["type"] == "hello":
            return b'{"type": "ready"}\n'
        if message["type"] == "decide":
            return orjson.dumps({"id": message["id"], "move": answer}, option=orjson.OPT_APPEND_NEWLINE)
        return b""


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
