"""How a bot's process ended, in words, and the waiting for a line or this end outside of matches."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Final

from bots.runner.channel import Channel
from bots.runner.clock import MS
from bots.runner.launcher import Process

LAST_WORDS_MS: Final = 500
"""Milliseconds that a process has to exit after it has closed its stdout. Then it is ended."""

LOOK_NS: Final = 250 * MS
"""Maximum time between two checks whether a silent bot has exited."""

LAST_LINE_NS: Final = 20 * MS
"""Time to read the last lines of a bot that has exited while a child process keeps its stdout open."""


_CAUSES: Final = [
    (re.compile(pattern, re.MULTILINE), what)
    for pattern, what in (
        (r"^ModuleNotFoundError: ", "add the module to the bot or use those in Libraries on the page Uploads"),
        (r"^(PermissionError|OSError): \[Errno (13|30|27|28)\]", "bots cannot write files, so print to stderr instead"),
        (r"^FileNotFoundError: ", "bots see only their own files, so open them relative to __file__"),
        (r"^SyntaxError: .*(Non-UTF-8|null bytes|utf-8)|^UnicodeDecodeError: ", "save the file in UTF-8"),
    )
]
"""What to do about errors whose cause is not obvious on a site, by a line of stderr."""


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a process ended.

    ``status`` is as for ``Process.stop``. ``by_itself`` is false if the process closed its stdout and had to be ended.
    ``mid_line`` is true if its last output was an incomplete line.
    """

    status: int | None
    by_itself: bool = True
    mid_line: bool = False

    def __str__(self) -> str:
        where = " in the middle of a line" if self.mid_line else ""
        if not self.by_itself:
            return f"the process closed its stdout{where} but did not exit"
        if self.status is None:
            return f"the process exited{where}"
        if self.status < 0:
            return f"the process was killed by {signal_name(-self.status)}{where}"
        return f"the process exited with code {self.status}{where}"

    def advice(self, stderr: str) -> str:
        """Return what the author of the bot can do, given the bot's stderr."""
        if not self.by_itself:
            return "keep stdout open until the game ends"
        if stderr.strip():
            cause = next((what for pattern, what in _CAUSES if pattern.search(stderr)), "")
            return f"{cause}; see its stderr" if cause else "see its stderr"
        if self.status == 0:
            return (
                "it must read messages from stdin until the game ends; if the file is only a part of a bot, such as"
                " strategy.py, upload the whole folder"
            )
        return "its stderr is empty"


def signal_name(number: int) -> str:
    """Return the name of a signal, for example ``SIGKILL``."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def end_process(process: Process, channel: Channel, patience_ms: int = 0) -> ProcessEnd:
    """End the process with its child processes, and close the channel.

    The process gets ``patience_ms`` milliseconds to exit before it is killed. Raises ``PlatformFailure`` as
    ``Process.stop`` does.
    """
    by_itself = process.exited(patience_ms)
    try:
        status = process.stop()
    finally:
        channel.close()
    return ProcessEnd(status, by_itself, channel.mid_line)


class StdoutEnded(Exception):
    """The bot has exited or closed its stdout, so it cannot answer."""


def next_line(process: Process, channel: Channel, until_ns: int | None = None) -> bytes | None:
    """Return the bot's next line; ``None`` is a line longer than an answer may be.

    ``until_ns`` is a time of ``perf_counter_ns``. Raises ``TimeoutError`` after it, and ``StdoutEnded``.
    """
    last_ns: int | None = None
    while not channel.lines:
        now_ns = perf_counter_ns()
        if channel.ended or (last_ns is not None and now_ns >= last_ns):
            raise StdoutEnded
        if until_ns is not None and now_ns >= until_ns:
            raise TimeoutError
        if last_ns is None and process.gave_up_stdout():
            last_ns = now_ns + LAST_LINE_NS
        ends_ns = [end_ns for end_ns in (until_ns, last_ns, now_ns + LOOK_NS) if end_ns is not None]
        channel.take(channel.wait(min(ends_ns) - now_ns))
    return channel.lines.popleft()
