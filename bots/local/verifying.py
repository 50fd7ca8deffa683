"""Files of records, checked again: each is played from its seed by the rules and compared step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from games.record import RecordError, from_json, verify

MAX_RECORD_BYTES = 2 * 1024 * 1024
"""A longer record is refused unread: a game has some 50 KiB."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with one record: the file, the line it begins on (from 1), the ply where there is one."""

    path: Path
    line: int
    ply: int | None
    message: str

    def __str__(self) -> str:
        """``games.jsonl:12: ply 57: what is wrong``."""
        where = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{where}: {self.message}" if self.ply is None else f"{where}: ply {self.ply}: {self.message}"

    def document(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {"file": str(self.path), "line": self.line or None, "ply": self.ply, "message": self.message}


@dataclass(frozen=True)
class Checked:
    """One record that was looked at, or a file that could not be (line 0); ``read`` counts the bytes it took."""

    read: int
    fault: Fault | None


def check_file(path: Path) -> Iterator[Checked]:
    """Check every record of a file: JSON lines, or one JSON document over any number of lines."""
    try:
        with path.open("rb") as stream:
            head = stream.read(MAX_RECORD_BYTES + 1)
            if _is_one_document(head):
                yield _check(path, 1, head)
                return
            stream.seek(0)
            yield from _check_lines(path, stream)
    except OSError as error:
        yield Checked(0, Fault(path, 0, None, f"cannot be read: {error.strerror}"))


def _is_one_document(head: bytes) -> bool:
    """Whether ``head`` is one object spread over lines, rather than an object a line."""
    lines = [line.strip() for line in head.splitlines() if line.strip()][:2]
    spread = len(lines) == 2 and not lines[0].endswith(b"}") and not lines[1].startswith(b"{")
    return spread and len(head) <= MAX_RECORD_BYTES


def _check_lines(path: Path, stream: BinaryIO) -> Iterator[Checked]:
    number = found = 0
    while line := stream.readline(MAX_RECORD_BYTES + 1):
        number += 1
        if not line.strip():
            continue
        found += 1
        if len(line) <= MAX_RECORD_BYTES:
            yield _check(path, number, line)
        else:
            rest = _skip_line(stream, line)
            yield Checked(rest, Fault(path, number, None, f"longer than {MAX_RECORD_BYTES // 2**20} MiB: not a record"))
    if not found:
        yield Checked(0, Fault(path, 0, None, "holds no record"))


def _skip_line(stream: BinaryIO, part: bytes) -> int:
    """Read to the end of a line of which ``part`` was the beginning; the bytes of the whole line."""
    read = len(part)
    while part and not part.endswith(b"\n"):
        part = stream.readline(MAX_RECORD_BYTES)
        read += len(part)
    return read


def _check(path: Path, line: int, text: bytes) -> Checked:
    try:
        verify(from_json(text))
    except RecordError as error:
        return Checked(len(text), Fault(path, line, error.ply, error.message))
    return Checked(len(text), None)
