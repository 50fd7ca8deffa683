"""Feeds prepared messages to a bot and hears its answers: over pipes, or under a debugger that has the terminal."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from time import monotonic_ns

from bots.local.launching import CommandProgram, interpreter_at, under_python
from bots.local.replaying import Question, Replay
from bots.protocol import is_ready
from bots.runner import LocalProgram
from bots.sandbox.code import code_of
from bots.sandbox.interpreter import OPTIONS, bots_interpreter, command
from games.base import Document, Move


@dataclass(frozen=True)
class Answer:
    """What the bot said to one question: a legal move, or ``None`` and what was wrong; ``wall_us`` where measured."""

    question: Question
    line: str
    move: Move | None
    fault: str
    wall_us: int | None = None

    @property
    def as_played(self) -> bool:
        """Whether the bot has just answered what was played in the game."""
        return self.move is not None and self.move == self.question.played and self.question.default is None


def feed(replay: Replay, program: LocalProgram, python: Path | None = None) -> Iterator[Answer]:
    """Start the bot and ask one question after another, without any limit of time. It ends with the last answer.

    ``python`` is the interpreter or virtual environment of a Python bot, if it is not the site's.

    What it writes to stderr goes to ours. A bot that ends early answers nothing more.
    """
    code = code_of(program)
    started = under_python(program, python)
    words = started.words if isinstance(started, CommandProgram) else command(code, code.folder)
    process = subprocess.Popen(words, cwd=code.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdin is not None and process.stdout is not None
        _say(process, replay.hello)
        while (line := process.stdout.readline()) and is_ready(line) is not True:
            pass
        for question in replay.questions:
            started_ns = monotonic_ns()
            _say(process, question.message)
            line = process.stdout.readline()
            yield _answer(question, line, (monotonic_ns() - started_ns) // 1000)
            if not line:
                return
    finally:
        process.kill()
        process.communicate()


def debug(replay: Replay, program: LocalProgram, python: Path | None = None) -> Iterator[Answer]:
    """Run a Python bot under pdb, which stops in its strategy at the last question; then hear what it has answered.

    The debugger talks to the terminal; the bot's questions and answers are files. ``python`` is as for ``feed``.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        as_file(files("bots.local").joinpath("debugged", "stage.py")) as stage,
    ):
        questions, answers = Path(folder, "questions.jsonl"), Path(folder, "answers.jsonl")
        questions.write_bytes(lines_of(replay.messages))
        answers.touch()
        words = [str(stage), str(questions), str(answers), program.entry, *program.args]
        interpreter = [str(bots_interpreter()), *OPTIONS] if python is None else [str(interpreter_at(python))]
        subprocess.run([*interpreter, *words], cwd=program.folder, check=False)
        said = [line for line in answers.read_bytes().splitlines() if is_ready(line) is not True]
    for question, line in zip(replay.questions, said, strict=False):
        yield _answer(question, line, None)
    for question in replay.questions[len(said) :]:
        yield _answer(question, b"", None)
        return


def lines_of(messages: Sequence[Document]) -> bytes:
    """The messages as they stand on a bot's standard input."""
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def _say(process: subprocess.Popen[bytes], message: Document) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(lines_of([message]))
        process.stdin.flush()
    except OSError:  # it is gone; that it answers nothing will say so
        return


def _answer(question: Question, line: bytes, wall_us: int | None) -> Answer:
    if not line:
        return Answer(question, "", None, "no answer: the program has ended or closed its output.", wall_us)
    move, fault = question.judge(line)
    return Answer(question, line.decode("utf-8", errors="backslashreplace").rstrip("\r\n"), move, fault, wall_us)
