"""Files of games that were played here: the records of a series, and the owners' logs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from bots.local.faults import UsageError
from bots.runner.owner_log import owner_logs
from bots.series import Played
from games.record import to_json


@contextmanager
def records_file(path: Path | None) -> Iterator[IO[str] | None]:
    """``path`` for writing, a record a line. Raises ``UsageError`` where that is impossible."""
    if path is None:
        yield None
        return
    try:
        stream = path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
    with stream:
        yield stream


def write_record(stream: IO[str] | None, played: Played) -> None:
    """Add the record of one game, at once."""
    if stream is not None:
        stream.write(to_json(played.report.record) + "\n")
        stream.flush()


def logs_folder(path: Path | None) -> Path | None:
    """``path``, made if need be. Raises ``UsageError`` where that is impossible."""
    if path is not None:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The folder {path} cannot be made: {error.strerror}.") from error
    return path


def write_logs(folder: Path | None, played: Played) -> list[Path]:
    """Write ``GAME-3-game0.record.json`` and a ``GAME-3-game0.seat0.log.json`` for every seat; the paths, in order."""
    if folder is None or played.transcript is None:
        return []
    record = played.report.record
    stem = f"{record['game']}-{record['seats']}-game{played.number}"
    texts = {f"{stem}.record.json": to_json(record)}
    for log in owner_logs(played.report, played.transcript):
        texts[f"{stem}.seat{log['seat']}.log.json"] = json.dumps(log, ensure_ascii=False, indent=1)
    for name, text in texts.items():
        (folder / name).write_text(text + "\n", encoding="utf-8", newline="\n")
    return [folder / name for name in texts]
