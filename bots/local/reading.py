"""Reads what earlier commands have written: one record of a file, and an owner's log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bots.local.faults import UsageError
from bots.local.verifying import MAX_RECORD_BYTES
from bots.runner.owner_log import FORMAT
from games.base import Document
from games.record import RecordError, from_json


def read_record(word: str) -> Document:
    """The record of ``FILE``, or of one line of it: ``FILE:12``. Raises ``UsageError``."""
    path, line = Path(word), None
    before, _, number = word.rpartition(":")
    if not path.exists() and before and number.isdecimal():
        path, line = Path(before), int(number)
    text = _read(path)
    lines = text.splitlines()
    if line is not None:
        if not 1 <= line <= len(lines):
            raise UsageError(f"{path} has {len(lines)} lines, and none with the number {line}.")
        return _record(path, lines[line - 1])
    if len(lines) > 1 and lines[1].lstrip().startswith(b"{"):
        raise UsageError(f"{path} holds several records. Say which one: {path}:1 is the first.")
    return _record(path, text)


def read_log(path: Path) -> Document:
    """The owner's log of ``path``. Raises ``UsageError``."""
    try:
        document: Any = json.loads(_read(path))
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}.") from error
    if type(document) is not dict or not {"starts", "decisions"} <= document.keys():
        raise UsageError(f"{path} is not an owner's log ({FORMAT}), as `esr play --logs DIR` writes it.")
    return document


def _record(path: Path, text: bytes) -> Document:
    if len(text) > MAX_RECORD_BYTES:
        raise UsageError(f"{path} is longer than {MAX_RECORD_BYTES // 2**20} MiB: not a record.")
    try:
        return from_json(text)
    except RecordError as error:
        raise UsageError(f"{path} holds no record: {error}.") from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
