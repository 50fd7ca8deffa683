"""Run a Python bot in the debugger: ``stage.py QUESTIONS ANSWERS BOT.py [ARGUMENT …]``, in the bot folder.

This is a separate program that only uses the standard library, so that the bot has the same environment as in a game.
For the bot, ``sys.stdin`` is the file QUESTIONS and ``sys.stdout`` the file ANSWERS. The debugger uses the terminal.
It stops after the last question was read, at every ``breakpoint()``, and when the bot crashes.

Most bots read messages in one file and decide in another. The debugger therefore stops at the first call into another
file of the bot folder, or when the bot answers without such a call. A bot with a single file stops after reading.
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
The bot has just read the decision. Use p self, p decision and p view to print the arguments of its strategy.
  n next line   s step into call   p NAME print   b FILE:LINE set breakpoint   c continue   q quit   h help"""


class Debugger(pdb.Pdb):
    """The Python debugger, always connected to the terminal."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.stdin, self.stdout = TERMINAL

    def stop_here(self, frame: FrameType) -> bool:
        """Never stop in this file, which wraps the bot's input and output."""
        return frame.f_code.co_filename != __file__ and super().stop_here(frame)

    def set_stepinstr(self) -> None:
        """Stop at the next line. Python 3.13 and later would stop within the line that reads the decision."""
        self.set_step()

    def interaction(self, *args: Any, **options: Any) -> None:
        """Use the terminal during the interaction, then restore the bot's streams."""
        streams = sys.stdin, sys.stdout
        sys.stdin, sys.stdout = TERMINAL
        try:
            super().interaction(*args, **options)
        finally:
            sys.stdin, sys.stdout = streams


class Script:
    """Counts the remaining input lines. After the last one, the bot stops in its strategy."""

    def __init__(self, lines: int) -> None:
        self.left = lines
        self._reader: Path | None = None

    def read_one(self) -> None:
        """Handle a line that the bot has read."""
        self.left -= 1
        if self.left == 0:
            frame = self.bots_frame()
            self._reader = _bots_file(frame.f_code.co_filename)
            if self._has_other_files():
                sys.settrace(self._entered)
            else:
                self._stop(frame)

    def answer(self) -> None:
        """Handle output of the bot: stop here if it has not stopped since it read the last line."""
        if self._reader is not None:
            self._stop(self.bots_frame())

    @staticmethod
    def bots_frame() -> FrameType:
        """Return the innermost frame of the bot's code."""
        frame = sys._getframe()
        while frame.f_code.co_filename == __file__ and frame.f_back is not None:
            frame = frame.f_back
        return frame

    def _has_other_files(self) -> bool:
        loaded = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        return bool({_bots_file(file) for file in loaded if file} - {None, self._reader})

    def _entered(self, frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:  # noqa: ARG002
        """Trace function: handle every call in the bot."""
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
    """Return the path of file ``name`` if it is in the bot folder and not in a virtual environment.

    Names such as ``<string>`` (methods of dataclasses) and ``<frozen runpy>`` belong to code without a file.
    """
    if name.startswith("<"):
        return None
    path = Path(name).resolve()
    return path if path.is_relative_to(Path.cwd()) and "site-packages" not in path.parts else None


class BytesIn(io.BufferedReader):
    """Replacement for ``sys.stdin.buffer``. Every way to iterate over lines calls ``readline``."""

    script: Script

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        self.script.read_one()
        return line


class TextIn(io.TextIOWrapper):
    """Replacement for ``sys.stdin``."""

    script: Script

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        line = super().readline(size)
        self.script.read_one()
        return line


class BytesOut(io.BufferedWriter):
    """Replacement for ``sys.stdout.buffer`` that notifies the script of every write."""

    script: Script

    def write(self, data: Any, /) -> int:
        self.script.answer()
        return super().write(data)


class TextOut(io.TextIOWrapper):
    """Replacement for ``sys.stdout``. It notifies the script itself because it buffers text."""

    script: Script

    def write(self, text: str, /) -> int:
        self.script.answer()
        return super().write(text)


def play(questions: str, answers: str, bot: str) -> int:
    """Run the bot until it exits and return its exit code."""
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
            return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        except BaseException as error:  # show any exception in the debugger
            crashed(error, error.__traceback__)
            return 1
    return 0


def crashed(error: BaseException, traceback: TracebackType | None) -> None:
    """Open the debugger at the place where the exception was raised."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename != sys.argv[0]:
        traceback = traceback.tb_next
    print(f"The bot crashed: {error!r}", file=TERMINAL[1], flush=True)
    debugger = Debugger()
    debugger.reset()
    debugger.interaction(None, traceback or error.__traceback__)


if __name__ == "__main__":
    _, asked, answered, *sys.argv = sys.argv
    sys.path[0] = ""
    pdb.Pdb = Debugger  # type: ignore[misc]
    sys.breakpointhook = lambda *_, **__: Debugger().set_trace(Script.bots_frame())
    sys.exit(play(asked, answered, sys.argv[0]))
