"""Back up the database and the uploads that it names, as they were at one moment."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone
from pyrage.x25519 import Recipient

from bots.uploads.storage import uploads
from esr_platform.backups import BackupProblem
from esr_platform.backups.files import Add, compressed, new_backup, seal
from esr_platform.backups.keys import fingerprint, public_keys
from esr_platform.backups.tables import LEFT_OUT, SECRET_ROWS, Snapshot, require_database, snapshot
from games import __version__

FORMAT: Final = 1
"""The format that this version writes, and the latest that it reads."""

UPLOAD: Final = re.compile(r"[0-9a-f]{2}/([0-9a-f]{64})(-[0-9a-f]{16})?\.(zip|py)")
"""The path of an upload, which contains its SHA-256."""


class Header(msgspec.Struct, frozen=True):
    """``backup.json``: what a restore must know first.

    ``migrations`` are the applied ones as pairs of app and name, ``tables`` the columns by table. ``deals_key`` is the
    public key of sealed rows, ``secret_key`` the fingerprint of the site's secret key.
    """

    format: int
    version: str
    created: datetime
    database: str
    migrations: Sequence[tuple[str, str]]
    tables: Mapping[str, Sequence[str]]
    deals_key: str
    secret_key: str


class End(msgspec.Struct, frozen=True):
    """``end.json``, the last part: the number of rows by table, the last ids, and the uploads.

    ``missing`` are the uploads that the storage had lost or damaged before the backup.
    """

    rows: Mapping[str, int]
    sequences: Mapping[str, int]
    uploads: int
    missing: Sequence[str]


@dataclass(frozen=True)
class Backup:
    """A finished backup: the numbers of rows, of sealed rows among them, and of uploads; the paths of missing ones."""

    rows: int
    sealed: int
    uploads: int
    missing: Sequence[str]


def back_up(path: Path) -> Backup:
    """Write a backup of the site to the new file ``path``. Matches can be played meanwhile.

    Raises ``BackupProblem``. The file then does not exist.
    """
    key, deals_key = public_keys()
    require_database()
    try:
        with new_backup(path, key) as add:
            with snapshot() as now:
                header = _header(now, str(deals_key))
                add("backup.json", msgspec.json.encode(header))
                rows, sealed = _add_rows(add, now, header.tables, deals_key)
                named = [
                    name for (name,) in now.select("SELECT DISTINCT archive FROM bots_botversion ORDER BY 1") if name
                ]
                sequences = now.sequences()
            missing = [name for name in named if not _add_upload(add, name)]
            end = End(rows, sequences, len(named) - len(missing), missing)
            add("end.json", msgspec.json.encode(end))
    except (DatabaseError, sqlite3.Error) as error:
        raise BackupProblem(
            f"The database cannot be read: {error}. Check DATABASE_URL, and run the command again."
        ) from error
    return Backup(sum(rows.values()), sealed, end.uploads, missing)


def _header(now: Snapshot, deals_key: str) -> Header:
    tables = now.tables()
    if "django_migrations" not in tables or "ladder_block" not in tables:
        raise BackupProblem("The database is not that of a site. Check DATABASE_URL and VAR_DIR.")
    migrations = now.select("SELECT app, name FROM django_migrations ORDER BY id")
    of_apps = tuple({f"{app}_" for app, _ in migrations} | {"django_content_type"})
    return Header(
        format=FORMAT,
        version=__version__,
        created=timezone.now(),
        database=connection.vendor,
        migrations=[(app, name) for app, name in migrations],
        tables={name: columns for name, columns in tables.items() if name.startswith(of_apps) and name not in LEFT_OUT},
        deals_key=deals_key,
        secret_key=fingerprint(settings.SECRET_KEY),
    )


def _add_rows(
    add: Add, now: Snapshot, tables: Mapping[str, Sequence[str]], deals_key: Recipient
) -> tuple[dict[str, int], int]:
    """Add all rows; their numbers by table, and the number of sealed ones."""
    counts, all_sealed = dict[str, int](), 0
    for table, columns in tables.items():
        secret = SECRET_ROWS.get(table)
        public = f"NOT ({secret})" if secret else "1 = 1"
        counts[table] = sum(_add_parts(add, f"tables/{table}/{{:06}}.zst", now.lines(table, columns, public), bytes))
        if secret:
            sealed = sum(
                _add_parts(
                    add,
                    f"sealed/{table}/{{:06}}.zst.age",
                    now.lines(table, columns, secret),
                    lambda data: seal(data, deals_key),
                )
            )
            counts[table] += sealed
            all_sealed += sealed
    return counts, all_sealed


def _add_parts(add: Add, name: str, chunks: Iterator[bytes], finish: Callable[[bytes], bytes]) -> Iterator[int]:
    """Add each chunk as a part, and yield its number of rows."""
    for number, chunk in enumerate(chunks, 1):
        add(name.format(number), finish(compressed(chunk)))
        yield chunk.count(b"\n")


def _add_upload(add: Add, name: str) -> bool:
    """Add an upload. Returns whether the storage has it, unchanged."""
    try:
        with uploads().open(name, "rb") as file:
            data: bytes = file.read()
    except FileNotFoundError:
        return False
    except Exception as error:  # boundary to a storage: each kind has its own errors
        raise BackupProblem(f"The storage of uploads failed at {name}: {error}. Run the command again.") from error
    if not is_upload(name, data):
        return False
    add(f"uploads/{name}", data)
    return True


def is_upload(name: str, data: bytes) -> bool:
    """Whether ``name`` is the path of an upload with the contents ``data``."""
    path = UPLOAD.fullmatch(name)
    return path is not None and path[1] == sha256(data).hexdigest()
