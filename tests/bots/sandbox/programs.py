"""Small programs for tests, in folders that every user can reach."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

from bots.protocol import Limits
from bots.runner import FakeProgram, LocalProgram, MatchReport, MatchSpec, Process, SeatSpec, play_match
from bots.runner.channel import open_channel

HONEST = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    if message["type"] == "decide":
        print(json.dumps({"id": message["id"], "move": message["decision"]["default"]}), flush=True)
"""

READ_ONLY = """
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p

def read_only(mib):
    for _ in range(mib):
        block = ctypes.c_void_p(libc.mmap(None, ctypes.c_size_t(1 << 20), 3, 0x22, -1, ctypes.c_long(0)))
        ctypes.memset(block, 1, 1 << 20)
        libc.mprotect(block, ctypes.c_size_t(1 << 20), 1)
"""
"""The beginning of a program that can use memory which no limit on data counts."""


@contextmanager
def folder_of(files: dict[str, str], parent: str | None = None) -> Iterator[Path]:
    """A folder with these files, in ``parent`` if it matters; what begins with ``#!`` can be executed."""
    folder = Path(tempfile.mkdtemp(prefix="esr-test-", dir=parent))
    try:
        folder.chmod(0o755)
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(dedent(text).lstrip())
            (folder / name).chmod(0o755 if text.lstrip().startswith("#!") else 0o644)
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def program(source: str, **more: str) -> Iterator[LocalProgram]:
    """A bot of this source."""
    with folder_of({"bot.py": source, **more}) as folder:
        yield LocalProgram(folder)


def duel(launcher: object, *programs: object, limits: Limits | None = None) -> MatchReport:
    """Play the game for two, or for as many as there are programs."""
    seats = tuple(SeatSpec(f"bot {seat}", program) for seat, program in enumerate(programs))
    game = "edel-stein-reich-duel" if len(programs) == 2 else "edel-stein-reich"
    spec = MatchSpec(game, seats, bytes(32), limits or Limits())
    return play_match(spec, launcher)  # type: ignore[arg-type]


def stop(process: Process, patience_ms: int = 2000) -> tuple[int | None, str]:
    """End a process: its exit status and what it wrote to stderr."""
    channel = open_channel(process)
    channel.close_stdin()
    try:
        status = process.stop(patience_ms)
    finally:
        channel.close()
    return status, channel.stderr_tail()


FAKE = FakeProgram(lambda _: None)
