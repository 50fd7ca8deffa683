"""A bot that speaks on stdin and stdout, as a player of a remote game: a process a game, started anew if it dies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import perf_counter_ns
from typing import Any, Final

from bots.client import NoAnswer
from bots.client.documents import GameStart
from bots.local.escaping import cut
from bots.protocol import ClockLeft, Decide, End, Hello, Malformed, encode, is_ready, parse_answer
from bots.runner import PlatformFailure, Process
from bots.runner.channel import Channel
from bots.runner.opening import open_channel

MS: Final = 1_000_000
GOODBYE_MS: Final = 1000
"""How long a bot has after ``end`` to go by itself."""

STARTS_A_DECISION: Final = 2
"""A bot that dies over a decision is started once more for it; then the default move is played."""

Start = Callable[[], Process]


class ProcessPlayer:
    """One game of one bot. What it is sent is what it would be sent on the site, and what it says is read as strictly.

    A process that has died is followed by another, which is told ``resumed`` and the whole log.
    """

    def __init__(self, start: Start, begun: GameStart, tell: Callable[[str], None]) -> None:
        self._start, self._tell = start, tell
        self._hello: Hello = begun["message"]
        self._log: list[dict[str, Any]] = []
        self._process: Process | None = None
        self._channel: Channel | None = None
        self._begin()

    def decide(self, message: Decide) -> Any:
        """The bot's move. Raises ``NoAnswer`` for what would be a strike or a forfeit on the site."""
        self._log += message["log"]
        until_ns = perf_counter_ns() + _allowed_ms(message["clock"]) * MS
        for start in range(1, STARTS_A_DECISION + 1):
            if self._channel is None:
                self._begin()
                message = {**message, "log": self._log}
            assert self._channel is not None
            self._channel.send(encode(message))
            try:
                return self._answer(self._channel, message["id"], until_ns)
            except NoAnswer as failure:
                if failure.reason != "exit":
                    raise
                self._leave(0)
                if start == STARTS_A_DECISION:
                    raise
        raise AssertionError("a decision has at least one start")

    def end(self, message: End | None) -> None:
        """Say goodbye, and end the process."""
        if self._channel is not None:
            if message is not None:
                self._channel.send(encode(message))
            self._channel.close_stdin()
        self._leave(GOODBYE_MS)

    # --- the process ---------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        try:
            self._process = self._start()
        except PlatformFailure as failure:
            raise NoAnswer("not_ready", f"The bot cannot be started: {failure}") from failure
        self._channel = open_channel(self._process)
        self._channel.send(encode(self._hello))
        self._hello = {**self._hello, "resumed": True}
        until_ns = perf_counter_ns() + self._hello["limits"]["startup_ms"] * MS
        try:
            while is_ready(self._line(self._channel, until_ns) or b"") is not True:
                pass
        except NoAnswer as failure:
            self._leave(0)
            raise NoAnswer("not_ready", f"The bot does not begin to play: {failure}") from failure

    def _leave(self, patience_ms: int) -> None:
        """End the process, and show the end of what it has said on stderr."""
        process, channel, self._process, self._channel = self._process, self._channel, None, None
        if process is None or channel is None:
            return
        with suppress(PlatformFailure):
            process.stop(patience_ms)
        channel.close()
        for line in channel.stderr_tail().splitlines()[-20:]:
            self._tell(f"stderr: {line}")

    # --- what it says --------------------------------------------------------------------------------------------

    def _answer(self, channel: Channel, number: int, until_ns: int) -> Any:
        while True:
            line = self._line(channel, until_ns)
            if line is None:
                raise NoAnswer("too_long", "The line is longer than 64 KiB.")
            answer = parse_answer(line)
            if isinstance(answer, Malformed):
                raise NoAnswer("malformed", f"{answer.reason}: {cut(line.decode(errors='backslashreplace'))}")
            if answer.id == number:
                return answer.move
            if not 1 <= answer.id < number:
                raise NoAnswer("wrong_id", f"It answers {answer.id}, and {number} was asked.")

    def _line(self, channel: Channel, until_ns: int) -> bytes | None:
        """The next line, ``None`` for one that is too long. Raises ``NoAnswer``."""
        while not channel.lines:
            if channel.ended:
                raise NoAnswer("exit", "The process has ended, or closed its stdout.")
            left_ns = until_ns - perf_counter_ns()
            if left_ns <= 0:
                raise NoAnswer("late", "No answer in time.")
            channel.take(channel.wait(left_ns))
        return channel.lines.popleft()


def _allowed_ms(clock: ClockLeft) -> int:
    """What a decision may take, milliseconds; the site's own clock has begun a little earlier."""
    return min(clock["move_ms"] + clock["bank_ms"], clock["game_ms"])
