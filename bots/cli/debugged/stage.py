"""Runs a Python bot under the debugger: ``stage.py QUESTIONS ANSWERS BOT.py [ARGUMENT …]``, in the bot's folder.

A program of its own, with nothing but the standard library, so that the bot finds the world that it has in a game. To
the bot ``sys.stdin`` is the file QUESTIONS and ``sys.stdout`` the file ANSWERS. The debugger has the terminal. It stops
once the last question has been read, at every ``breakpoint()``, and where the bot crashes.

A bot mostly reads in one file and decides in another. So the debugger stops at the first call into another file of the
bot's folder, or, if the bot answers without such a call, where it answers. A bot of one file stops where it has read.
"""

from __future__ import annotations

import bdb
import io
import pdb
import runpy
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

TERMINAL = sys.stdin, sys.stdout
WELCOME = """\
The bot has just read the decision in question. p self, p decision and p view show what its strategy was given.
  n next line   s step into a call   p NAME show a value   b strategy.py:40 stop there   c go on   q leave   h help"""


class Debugger(pdb.Pdb):
    """Python's debugger, at the terminal whatever ``sys.stdin`` and ``sys.stdout`` are to the bot."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.stdin, self.stdout = TERMINAL

    def stop_here(self, frame: FrameType) -> bool:
        """Never in this file: what the bot reads and writes goes through it."""
        return frame.f_code.co_filename != __file__ and super().stop_here(frame)

    def interaction(self, *args: Any, **options: Any) -> None:
        """Talk to the person; the bot gets its streams back when it goes on."""
        streams = sys.stdin, sys.stdout
        sys.stdin, sys.stdout = TERMINAL
        try:
            super().interaction(*args, **options)
        finally:
            sys.stdin, sys.stdout = streams


class Script:
    """The number of lines that are still to be read; after the last one the bot is stopped in its strategy."""

    def __init__(self, lines: int) -> None:
        self.left = lines
        self._reader: Path | None = None

    def read_one(self) -> None:
        """A line has been given to the bot."""
        self.left -= 1
        if self.left == 0:
            frame = self.bots_frame()
            self._reader = _bots_file(frame.f_code.co_filename)
            if self._has_other_files():
                sys.settrace(self._entered)
            else:
                self._stop(frame)

    def answer(self) -> None:
        """Handle output of the bot: stop it here if it has not been stopped since it read the last line."""
        if self._reader is not None:
            self._stop(self.bots_frame())

    @staticmethod
    def bots_frame() -> FrameType:
        """The innermost frame that is the bot's."""
        frame = sys._getframe()
        while frame.f_code.co_filename == __file__ and frame.f_back is not None:
            frame = frame.f_back
        return frame

    def _has_other_files(self) -> bool:
        loaded = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        return bool({_bots_file(file) for file in loaded if file} - {None, self._reader})

    def _entered(self, frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:  # noqa: ARG002
        """Called for every function that the bot calls."""
        file = _bots_file(frame.f_code.co_filename)
        if file in (None, self._reader) or frame.f_code.co_name == "<module>":
            return None
        return self._stop(frame).trace_dispatch

    def _stop(self, frame: FrameType) -> Debugger:
        self._reader = None
        sys.settrace(None)
        print(WELCOME, file=TERMINAL[1], flush=True)
        debugger = Debugger()
        debugger.set_trace(frame)
        return debugger


@cache
def _bots_file(name: str) -> Path | None:
    """The path of file ``name`` if it is in the bot's folder and not in a virtual environment there."""
    path = Path(name).resolve()
    return path if path.is_relative_to(Path.cwd()) and "site-packages" not in path.parts else None


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


class BytesOut(io.BufferedWriter):
    """``sys.stdout.buffer``, which tells the script when something is written to it."""

    script: Script

    def write(self, data: Any, /) -> int:
        self.script.answer()
        return super().write(data)


class TextOut(io.TextIOWrapper):
    """``sys.stdout``, likewise. It keeps text back, so its buffer would tell too late."""

    script: Script

    def write(self, text: str, /) -> int:
        self.script.answer()
        return super().write(text)


def play(questions: str, answers: str, bot: str) -> int:
    """Run the bot to its end; its exit status."""
    with open(questions, "rb") as stream:
        script = Script(sum(1 for _ in stream))
    source = BytesIn(io.FileIO(questions))
    sys.stdin = text = TextIn(source, encoding="utf-8")
    source.script = text.script = script
    sink = BytesOut(io.FileIO(answers, "w"))
    with TextOut(sink, encoding="utf-8", newline="\n", line_buffering=True) as sys.stdout:
        sink.script = sys.stdout.script = script
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
