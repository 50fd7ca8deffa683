"""``esr replay-decision RECORD PLY DIR``: ask one's own bot one decision of a finished game again."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any, Final

from rich.progress import MofNCompleteColumn

from bots.local.command import Command
from bots.local.escaping import cut
from bots.local.faults import FOUND, UsageError
from bots.local.feeding import Answer, debug, feed, lines_of
from bots.local.launching import python_argument
from bots.local.reading import read_log, read_record
from bots.local.replaying import Replay, rebuild
from bots.local.screen import Screen
from bots.manifest import ManifestError, read_folder
from bots.runner import LocalProgram

_NO_LOG: Final = (
    "Without --log the seed of the hello and the clocks are not those of the game; everything else is."
    " `esr play --logs DIR` writes logs."
)


def arguments(parser: ArgumentParser) -> None:
    """The record, which decision, and whose bot."""
    parser.add_argument("record", metavar="RECORD", help="a file with a record; FILE:12 is the record in its line 12")
    parser.add_argument("ply", type=int, metavar="PLY", help="the index of the move among the record's steps, from 0")
    parser.add_argument("folder", type=Path, metavar="DIR", help="the bot's folder")
    parser.add_argument("--log", type=Path, metavar="FILE", help="the seat's owner's log: exact hello and clocks")
    parser.add_argument("--pdb", action="store_true", help="stop in Python's debugger where the strategy is called")
    python_argument(parser)
    parser.add_argument(
        "--messages", type=Path, metavar="FILE",
        help="write what the bot is sent there: its standard input for a debugger of your own",
    )  # fmt: skip


def run(options: Namespace, screen: Screen) -> int:
    """Feed the earlier decisions, then this one, and compare with what was played."""
    if options.pdb and options.json:
        raise UsageError("--pdb talks to a person, --json to a machine: leave one of them out.")
    log = read_log(options.log) if options.log else None
    replay = rebuild(read_record(options.record), options.ply, log)
    program = _program(options)
    if options.messages:
        _write_messages(options.messages, replay)
    if log is None:
        screen.say(_NO_LOG, "dim")
    answers = (
        list(debug(replay, program, options.python)) if options.pdb else _fed(replay, program, options.python, screen)
    )
    _tell(replay, answers, screen)
    answered = len(answers) == len(replay.questions) and answers[-1].move is not None
    screen.answer(_document(replay, answers, answered))
    return 0 if answered else FOUND


def _program(options: Namespace) -> LocalProgram:
    try:
        manifest = read_folder(options.folder)
    except ManifestError as error:
        raise UsageError(str(error)) from error
    if options.pdb and manifest.language != "python":
        raise UsageError(
            "--pdb is Python's debugger, and this bot is a program of another kind."
            " Write what it reads with --messages FILE, and start it in a debugger of its own with that as its input."
        )
    return LocalProgram(options.folder.resolve(), manifest.args, manifest.entry)


def _write_messages(path: Path, replay: Replay) -> None:
    try:
        path.write_bytes(lines_of(replay.messages))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error


def _fed(replay: Replay, program: LocalProgram, python: Path | None, screen: Screen) -> list[Answer]:
    answers = []
    with screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task("asking", total=len(replay.questions))
        for answer in feed(replay, program, python):
            answers.append(answer)
            progress.advance(task)
    return answers


def _tell(replay: Replay, answers: list[Answer], screen: Screen) -> None:
    last = replay.questions[-1]
    decision = last.message["decision"]
    screen.say(f"{replay.hello['game']}, seat {replay.hello['seat']}, decision {last.id}, ply {last.ply}")
    for answer in answers:
        if answer.question is not last and not answer.as_played:
            screen.say(f"  decision {answer.question.id} was another one in the game: {_difference(answer)}")
    screen.say(f"  asked:       {cut(json.dumps(decision))}")
    default = f", the default move: {last.default}" if last.default else ""
    screen.say(f"  in the game: {json.dumps(last.played)}{default}")
    if answers and answers[-1].question is last:
        screen.say(f"  the bot now: {_said(answers[-1])}")
    else:
        screen.say("  the bot now: did not come as far as this question")


def _difference(answer: Answer) -> str:
    default = f" (default: {answer.question.default})" if answer.question.default else ""
    return f"{json.dumps(answer.question.played)}{default}, now {_said(answer)}"


def _said(answer: Answer) -> str:
    took = "" if answer.wall_us is None else f", after {answer.wall_us / 1000:.1f} ms"
    if answer.move is not None:
        return f"{json.dumps(answer.move)}, legal{took}"
    return f"{answer.fault}{took}" + (f" It said: {cut(answer.line)}" if answer.line else "")


def _document(replay: Replay, answers: list[Answer], answered: bool) -> dict[str, Any]:
    last = replay.questions[-1]
    told = [
        {
            "id": answer.question.id,
            "ply": answer.question.ply,
            "move": answer.move,
            "fault": answer.fault or None,
            "line": answer.line,
            "as_played": answer.as_played,
            "wall_us": answer.wall_us,
        }
        for answer in answers
    ]
    played = {"move": last.played, "default": last.default}
    return {"ok": answered, "hello": replay.hello, "question": last.message, "played": played, "answers": told}


COMMAND = Command(
    "replay-decision",
    "Ask a bot one decision of a finished game again, after every earlier one of that seat.",
    """\
  esr play edel-stein-reich mybot house:random house:random --seed 7 --logs logs
  esr replay-decision logs/edel-stein-reich-3-game0.record.json 40 mybot \\
      --log logs/edel-stein-reich-3-game0.seat0.log.json --pdb

The bot gets the documents that it had in the game: hello, views, decisions, logs and clocks. No clock runs. With --pdb
it stops in the debugger, at the terminal, at the first line of its strategy, or where it has read the question if all
of its code is one file. breakpoint() works as well, as long as the bot reads sys.stdin and writes sys.stdout. Exit
status 1 if it does not answer with a legal move.""",
    arguments,
    run,
)
