"""Runs a Python bot under the debugger: ``stage.py QUESTIONS ANSWERS BOT.py [ARGUMENT …]``, in the bot's folder.

A program of its own, with nothing but the standard library, so that the bot finds the world that it has in a game. To
the bot ``sys.stdin`` is the file QUESTIONS and ``sys.stdout`` the file ANSWERS. The debugger has the terminal. It stops
when the last question has been read, at every ``breakpoint()``, and where the bot crashes.
"""

from __future__ import annotations

import bdb
import io
import pdb
import runpy
import sys
from types import FrameType, TracebackType
from typing import Any

TERMINAL = sys.stdin, sys.stdout
WELCOME = """\
The bot has just read the decision in question.
  n next line   s step into a call   p NAME show a value   b strategy.py:40 stop there   c go on   q leave   h help"""


class Debugger(pdb.Pdb):
    """Python's debugger, at the terminal whatever ``sys.stdin`` and ``sys.stdout`` are to the bot."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.stdin, self.stdout = TERMINAL

    def interaction(self, *args: Any, **options: Any) -> None:
        """Talk to the person; the bot gets its streams back when it goes on."""
        streams = sys.stdin, sys.stdout
        sys.stdin, sys.stdout = TERMINAL
        try:
            super().interaction(*args, **options)
        finally:
            sys.stdin, sys.stdout = streams


class Script:
    """The number of lines that are still to be read; the last one stops the bot where it reads it."""

    def __init__(self, lines: int) -> None:
        self.left = lines

    def read_one(self) -> None:
        """A line has been given to the bot."""
        self.left -= 1
        if self.left == 0:
            print(WELCOME, file=TERMINAL[1], flush=True)
            Debugger().set_trace(self.bots_frame())

    @staticmethod
    def bots_frame() -> FrameType:
        """The innermost frame that is the bot's."""
        frame = sys._getframe()
        while frame.f_code.co_filename == __file__ and frame.f_back is not None:
            frame = frame.f_back
        return frame


class BytesIn(io.BufferedReader):
    """``sys.stdin.buffer``. To go through its lines is to call ``readline``, in whichever way the bot does it."""

    script: Script

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        self.script.read_one()
        return line


class TextIn(io.TextIOWrapper):
    """``sys.stdin``, likewise."""

    script: Script

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        line = super().readline(size)
        self.script.read_one()
        return line


def play(questions: str, answers: str, bot: str) -> int:
    """Run the bot to its end; its exit status."""
    with open(questions, "rb") as stream:
        script = Script(sum(1 for _ in stream))
    source = BytesIn(io.FileIO(questions))
    sys.stdin = text = TextIn(source, encoding="utf-8")
    source.script = text.script = script
    with open(answers, "w", encoding="utf-8", newline="\n", buffering=1) as sys.stdout:
        try:
            runpy.run_path(bot, run_name="__main__")
        except bdb.BdbQuit:
            return 0
        except SystemExit as leaving:
            return leaving.code if isinstance(leaving.code, int) else 0
        except BaseException as error:  # whatever it is, the person may look at it where it happened
            crashed(error, error.__traceback__)
            return 1
    return 0


def crashed(error: BaseException, traceback: TracebackType | None) -> None:
    """Show the exception where it was raised."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename != sys.argv[0]:
        traceback = traceback.tb_next
    print(f"The bot has crashed: {error!r}", file=TERMINAL[1], flush=True)
    debugger = Debugger()
    debugger.reset()
    debugger.interaction(None, traceback or error.__traceback__)


if __name__ == "__main__":
    _, asked, answered, *sys.argv = sys.argv
    sys.path[0] = ""
    pdb.Pdb = Debugger  # type: ignore[misc]
    sys.breakpointhook = lambda *_, **__: Debugger().set_trace(Script.bots_frame())
    sys.exit(play(asked, answered, sys.argv[0]))
