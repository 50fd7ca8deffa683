"""The files of an export: one a table, and one that says what is there. Whoever reads them never sees half a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq
from django.utils import timezone

from ladder.exporting.columns import Table
from ladder.exporting.tables import tables
from ladder.models import Ladder
from ladder.moments import one_moment

AT_ONCE: Final = 20_000
"""So many rows are read, and make one row group."""

FORMAT: Final = "results/1"


def export(folder: Path, with_private: bool = False) -> dict[str, int]:
    """Write all results as they are now into ``folder``, over what is there; rows by table. Raises ``OSError``.

    Without ``with_private`` it holds what everybody may know, and nothing of private ladders.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ladders = Ladder.objects.all() if with_private else Ladder.objects.filter(private=False)
    with one_moment():
        now, found = timezone.now(), tables(ladders)
        rows = {table.name: _write(folder, table) for table in found}
    _describe(folder, now, found, rows)
    return rows


def _write(folder: Path, table: Table) -> int:
    place, written, last, rows = folder / f"{table.name}.parquet", 0, 0, AT_ONCE
    with _replaced(place) as path, pq.ParquetWriter(path, table.schema, compression="zstd") as file:
        while rows == AT_ONCE:
            batch, last = table.part(last, AT_ONCE)
            file.write_batch(batch)
            rows = batch.num_rows
            written += rows
    return written


def _describe(folder: Path, now: datetime, found: Sequence[Table], rows: dict[str, int]) -> None:
    """``tables.json``: when it was made, and every column with its type and meaning."""
    described = {
        table.name: {
            "rows": rows[table.name],
            "columns": {
                column.name: {"type": str(column.kind), "null": column.nullable, "meaning": column.meaning}
                for column in table.columns
            },
        }
        for table in found
    }
    document = {"format": FORMAT, "made": now.isoformat(), "tables": described}
    with _replaced(folder / "tables.json") as path:
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """A file beside ``path`` that takes its place once it is whole."""
    part = path.with_name(f".{path.name}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
