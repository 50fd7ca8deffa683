"""Test a backup: restore it into a temporary database and folder, verify it there, and delete both."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db import DatabaseError, connection

from esr_platform.backups import BackupProblem
from esr_platform.backups.tables import require_database


def drill(path: Path, key: Path, deals_key: Path) -> int:
    """Run ``manage.py restore`` in a temporary site, and return its exit code.

    Raises ``BackupProblem`` if the database server cannot be reached or does not let us create a database.
    """
    with tempfile.TemporaryDirectory(prefix="steinreich-drill-") as folder, _database(Path(folder)) as url:
        environment = {
            **os.environ,
            "DATABASE_URL": url,
            "VAR_DIR": folder,
            "SECRET_KEY": settings.SECRET_KEY,
            "UPLOADS_S3_BUCKET": "",
            "REDIS_URL": settings.REDIS_URL,
        }
        command = [sys.executable, "-m", "django", "restore", str(path.resolve())]
        keys = ["--key", str(key.resolve()), "--deals-key", str(deals_key.resolve())]
        with subprocess.Popen([*command, "--temporary", *keys], cwd=settings.BASE_DIR, env=environment) as process:
            try:
                return process.wait()
            except BaseException:
                process.terminate()
                raise


@contextmanager
def _database(folder: Path) -> Iterator[str]:
    """The URL of a new database of the site's kind, on the same server. It is dropped at the end."""
    if connection.vendor != "postgresql":
        yield f"sqlite:///{folder}/db.sqlite3"
        return
    require_database()
    name = f"steinreich_drill_{token_hex(4)}"
    try:
        _execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
    except DatabaseError as error:
        raise BackupProblem(
            f"Cannot create a temporary database: {error}. Run `ALTER ROLE … CREATEDB`, or set DATABASE_URL to an "
            "empty value to restore into SQLite."
        ) from None
    try:
        yield urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))
    finally:
        _execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)
