"""``esr verify FILE…``: play records again and say what is wrong where."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.progress import TextColumn

from bots.local.command import Command
from bots.local.faults import FOUND
from bots.local.screen import Screen
from bots.local.verifying import Fault, check_file


def arguments(parser: ArgumentParser) -> None:
    """Any number of files."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="records, one a line")


def run(options: Namespace, screen: Screen) -> int:
    """Check every file; faults are said as they are found, and a count at the end."""
    files: list[Path] = options.files
    faults: list[Fault] = []
    records = 0
    with screen.progress(TextColumn("{task.fields[records]} records")) as progress:
        total = sum(path.stat().st_size for path in files if path.is_file())
        task = progress.add_task("verifying", total=total, records=0)
        for path in files:
            for checked in check_file(path):
                records += 1
                progress.update(task, advance=checked.read, records=records)
                if checked.fault is not None:
                    faults.append(checked.fault)
                    screen.say(str(checked.fault))
    screen.answer({"ok": not faults, "records": records, "faults": [fault.document() for fault in faults]})
    if faults:
        screen.say(f"{len(faults)} of {records} records are wrong.", "red")
        return FOUND
    screen.say(f"{records} records, all right.")
    return 0


COMMAND = Command(
    "verify",
    "Re-execute records from their seeds and say what is wrong where.",
    "A file has one record a line (as `esr play --record` writes them), or is one JSON document.",
    arguments,
    run,
)
