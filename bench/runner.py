"""Measure the runner: µs per decision compared with a minimal exchange, and the sandbox share of a start.

Both ends of a pipe encode and decode the same documents with the same library, once with the runner and once with only
``write`` and ``read``. Both run on one core in alternating windows, so that they have the same conditions. The share
of the engine (views, decisions, logs, moves) is measured separately.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median, quantiles
from time import perf_counter
from typing import Any, cast

import orjson

from bots.protocol import Limits, encode
from bots.runner import LocalProgram, MatchSpec, PlatformFailure, SeatSpec, play_match
from bots.runner.launcher import Launcher, Process
from bots.sandbox import PlainLauncher, sandbox
from bots.sandbox.interpreter import OPTIONS, bots_interpreter
from games.game import Game
from games.registry import GAMES
from games.rules import State

BOT = """\
import sys
{use}
read, write, flush = sys.stdin.buffer.readline, sys.stdout.buffer.write, sys.stdout.buffer.flush
read()
write(b'{{"type": "ready"}}\\n')
flush()
while line := read():
    message = loads(line)
    if message["type"] == "decide":
        legal = message["decision"]["legal"] or [message["decision"]["default"]]
        write(dumps({{"id": message["id"], "move": legal[message["id"] % len(legal)]}}))
        flush()
"""
LIBRARIES = {
    "orjson": "from orjson import loads, dumps as text\ndef dumps(answer): return text(answer) + b'\\n'",
    "json": "from json import loads, dumps as text\ndef dumps(answer): return text(answer).encode() + b'\\n'",
}
C_BOT = """\
#include <string.h>
#include <unistd.h>
int main(void) {
    char line[65536];
    while (read(0, line, sizeof line) > 0) write(1, "{\\"type\\": \\"ready\\"}\\n", 18);
    return 0;
}
"""
TABLES = (("edel-stein-reich", 4), ("edel-stein-reich-duel", 2))


@dataclass
class Stopwatch:
    """Watches a game: the moment of every question."""

    asked: list[float] = field(default_factory=list)

    def moved(self, _: State) -> None:
        pass

    def sent(self, _: int, line: bytes) -> None:
        if line.startswith(b'{"type":"decide"'):
            self.asked.append(perf_counter())

    def heard(self, seat: int, line: bytes) -> None:
        pass

    def spans(self) -> list[float]:
        """Seconds from each question to the next."""
        return [after - before for before, after in pairwise(self.asked)]


@dataclass
class Conversation:
    """Watches a game and keeps every document."""

    documents: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    def moved(self, _: State) -> None:
        pass

    def sent(self, seat: int, line: bytes) -> None:
        document = orjson.loads(line)
        if document["type"] != "end":
            self.documents.append((seat, document))

    def heard(self, seat: int, line: bytes) -> None:
        pass


def spec_of(game: str, seats: int, folder: Path) -> MatchSpec[LocalProgram]:
    """A game of the trivial bot with itself."""
    return MatchSpec(game, tuple(SeatSpec(f"seat {seat}", LocalProgram(folder)) for seat in range(seats)), bytes(32))


def through_the_runner(spec: MatchSpec[LocalProgram], launcher: Launcher[Any]) -> list[float]:
    """Seconds of every decision of a game, the engine's work for it included."""
    watch = Stopwatch()
    play_match(spec, launcher, watch)
    return watch.spans()


def through_a_pipe(folder: Path, documents: list[tuple[int, dict[str, Any]]], launcher: Launcher[Any]) -> list[float]:
    """Seconds of every exchange of the same documents between the same bots with nothing in between."""
    processes = {seat: launcher.start(LocalProgram(folder), Limits()) for seat in {seat for seat, _ in documents}}
    try:
        for process in processes.values():
            os.set_blocking(process.stdout, True)
        spans = []
        for seat, document in documents:
            began = perf_counter()
            exchange(processes[seat], document)
            spans.append(perf_counter() - began)
        return [span for span, (_, document) in zip(spans, documents, strict=True) if document["type"] == "decide"][:-1]
    finally:
        for process in processes.values():
            end(process)


def exchange(process: Process, document: dict[str, Any]) -> Any:
    """One document out, one back."""
    os.write(process.stdin, orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))
    return orjson.loads(os.read(process.stdout, 65536))


def end(process: Process) -> None:
    """Stop a process and close its pipes."""
    process.stop()
    for descriptor in (process.stdin, process.stdout, process.stderr):
        os.close(descriptor)


class TimedGame:
    """A game that measures, where it is played, what its own work takes: views, decisions, logs, moves."""

    def __init__(self, game: Game) -> None:
        self.game, self.seconds = game, 0.0

    def new(self, seats: int, seed: bytes) -> Any:
        return TimedState(self, self.game.new(seats, seed))


class TimedState:
    """A state that adds up the time of what the runner asks it."""

    def __init__(self, game: TimedGame, state: State) -> None:
        self.timed, self.state = game, state
        for name in ("decision", "view", "entries", "play"):
            setattr(self, name, self._timed(getattr(state, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            began = perf_counter()
            result = call(*arguments)
            self.timed.seconds += perf_counter() - began
            return result

        return timed


def decisions(launcher: Launcher[Any], folder: Path, rounds: int) -> None:
    """Print a line a table."""
    for game, seats in TABLES:
        spec, conversation = spec_of(game, seats, folder), Conversation()
        play_match(spec, launcher, conversation)
        documents = conversation.documents
        timed = TimedGame(GAMES[game])
        GAMES[f"timed {game}"] = cast("Game", timed)
        runner, pipe, engine = list[list[float]](), list[list[float]](), list[float]()
        decided = sum(document["type"] == "decide" for _, document in documents)
        for _ in range(rounds):
            runner.append(through_the_runner(spec, launcher))
            pipe.append(through_a_pipe(folder, documents, launcher))
            timed.seconds = 0.0
            play_match(spec_of(f"timed {game}", seats, folder), launcher)
            engine.append(timed.seconds / decided)
        whole, bare, rules = typical_us(runner), typical_us(pipe), quantiles(engine)[0] * 1e6
        size = sum(len(encode(document)) for _, document in documents) // len(documents)
        print(
            f"    {game}, {seats} seats, {decided} decisions of {size} bytes: {whole:5.1f} µs per decision, of which"
            f" engine {rules:4.1f}; minimal exchange {bare:5.1f}; without engine {(whole - rules) / bare:4.2f} ×"
        )


def typical_us(rounds: list[list[float]]) -> float:
    """The mean decision, each taken as the lower quartile of its rounds: what others do on this machine falls out."""
    return fmean(quantiles(times)[0] for times in zip(*rounds, strict=True)) * 1e6


def ready_after(start: Callable[[], Process]) -> float:
    """Seconds from the start of a process to its first line."""
    began = perf_counter()
    process = start()
    os.set_blocking(process.stdout, True)
    os.write(process.stdin, b"{}\n")
    line = os.read(process.stdout, 100)
    took = perf_counter() - began
    end(process)
    if b"ready" not in line:
        raise PlatformFailure("the bot of the bench did not start")
    return took


def bare_start(command: list[str], folder: Path) -> float:
    """The same with nothing around the process."""
    began = perf_counter()
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(b"{}\n")
        child.stdin.flush()
        child.stdout.readline()
        took = perf_counter() - began
        child.kill()
    return took


def starts(launcher: Launcher[Any], program: LocalProgram, command: list[str], rounds: int) -> None:
    """Print how long a start takes, sandboxed and bare."""
    sandboxed, bare = [], []
    for _ in range(rounds):
        sandboxed.append(ready_after(lambda: launcher.start(program, Limits())))
        bare.append(bare_start(command, program.folder))
    ours_ms, bare_ms = median(sandboxed) * 1e3, median(bare) * 1e3
    print(
        f"    {program.entry}: {ours_ms:5.1f} ms, unsandboxed {bare_ms:5.1f} ms:"
        f" {ours_ms / bare_ms:4.2f} ×, +{ours_ms - bare_ms:4.1f} ms"
    )


@contextmanager
def bot_folders() -> Iterator[dict[str, Path]]:
    """A folder for each library, the library in it, and one with a program in C where there is a compiler."""
    with tempfile.TemporaryDirectory(prefix="esr-bench-") as root:
        Path(root).chmod(0o755)
        folders = {}
        for name, use in LIBRARIES.items():
            folders[name] = folder = Path(root, name)
            folder.mkdir()
            (folder / "bot.py").write_text(BOT.format(use=use))
        shutil.copytree(Path(orjson.__file__).parent, folders["orjson"] / "orjson")
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler:
            folders["c"] = folder = Path(root, "c")
            folder.mkdir()
            (folder / "bot.c").write_text(C_BOT)
            subprocess.run([compiler, "-O2", "-o", folder / "bot", folder / "bot.c"], check=True)
        yield folders


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=15)
    rounds = arguments.parse_args().rounds
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    launcher, test = sandbox()
    with bot_folders() as folders:
        for name in LIBRARIES:
            print(f"Decisions, {name} in the bot, orjson in the runner, one core, lower quartile of {rounds}")
            for title, chosen in (("sandboxed", launcher), ("plain", PlainLauncher())):
                if chosen is not None:
                    print(f"  {title}")
                    decisions(chosen, folders[name], rounds)
        if launcher is None:
            sys.exit(f"The sandbox does not work on this machine: {test.problem} {test.remedy}")
        print(f"Time from start to ready in the sandbox, median of {2 * rounds}")
        python = [str(bots_interpreter()), *OPTIONS, "bot.py"]
        starts(launcher, LocalProgram(folders["json"]), python, 2 * rounds)
        if "c" in folders:
            starts(launcher, LocalProgram(folders["c"], entry="bot"), [str(folders["c"] / "bot")], 2 * rounds)


if __name__ == "__main__":
    main()
