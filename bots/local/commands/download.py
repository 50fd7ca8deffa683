"""``esr download LADDER``: every record of a ladder into a file, and the new ones the next time."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import IO, Final

from rich.progress import MofNCompleteColumn

from bots.client import Client
from bots.local.asking import site_client
from bots.local.command import Command
from bots.local.faults import UsageError
from bots.local.screen import Screen

_TAIL: Final = 2**20
"""Bytes at the end of a file in which its last line is looked for; a line has a hundredth of that."""


def arguments(parser: ArgumentParser) -> None:
    """Which ladder or match, and where to."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("ladder", nargs="?", metavar="LADDER", help="as in its address")
    what.add_argument("--match", type=int, metavar="N", help="the record of one match instead")
    parser.add_argument("--to", type=Path, metavar="FILE", help="default: LADDER.jsonl, or match-N.json")


def run(options: Namespace, screen: Screen) -> int:
    """Write what is new at the end of the file."""
    with site_client(needs_token=False) as client:
        if options.match is not None:
            return _match(client, options.match, options.to or Path(f"match-{options.match}.json"), screen)
        path: Path = options.to or Path(f"{options.ladder}.jsonl")
        try:
            with path.open("a+b") as file:
                games = _ladder(client, options.ladder, file, screen)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
    screen.say(f"{path}: {games} new {'game' if games == 1 else 'games'}")
    screen.answer({"ok": True, "file": str(path), "games": games})
    return 0


def _ladder(client: Client, ladder: str, file: IO[bytes], screen: Screen) -> int:
    """Add the games that follow the last whole line; how many there were."""
    after, games = _last_match(file), 0
    with screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(ladder, total=None)
        for line in client.records(ladder, after):
            file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")
            games += 1
            progress.advance(task)
    return games


def _last_match(file: IO[bytes]) -> int | None:
    """The match of the last whole line; an incomplete one after it is cut off. Raises ``UsageError``."""
    size = file.seek(0, os.SEEK_END)
    start = file.seek(max(0, size - _TAIL))
    whole = file.read().rpartition(b"\n")[0]
    if not whole:
        if size > _TAIL:
            raise UsageError("The file exists, and is none that `esr download` has written.")
        file.truncate(0)
        return None
    file.truncate(start + len(whole) + 1)
    try:
        return int(json.loads(whole.rpartition(b"\n")[2])["match"])
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError("The file exists, and its last line is no game: name another one with --to.") from error


def _match(client: Client, number: int, path: Path, screen: Screen) -> int:
    record = client.get(f"matches/{number}/record")
    try:
        path.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
    screen.say(f"{path}: the record of match {number}; `esr verify {path}` plays it again")
    screen.answer({"ok": True, "file": str(path), "match": number})
    return 0


COMMAND = Command(
    "download",
    "Download every record of a ladder, or go on where the last download ended.",
    """\
  esr download edel-stein-reich-3                   all games so far, a line each; again: those that are new
  esr download edel-stein-reich-3 --to games.jsonl
  esr download --match 123                          one record

Each line has the match, its players with versions and ratings, and under `record` the record. A game comes a minute
after the last game of its deal has ended. No token is needed but for private ladders.""",
    arguments,
    run,
)
