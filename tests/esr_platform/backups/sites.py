"""Empty sites for tests of backups, on the kind of database of the test, and decrypted backups."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import msgspec
import psycopg
from django.conf import settings
from django.db import connection

from esr_platform.backups.backup import End, Header
from esr_platform.backups.files import decompressed, opened_backup, unseal
from esr_platform.backups.keys import NAMES, create, private_key
from tests.services.workers import ROOT


@dataclass(frozen=True)
class Keys:
    """The private keys of a test in ``folder``, and the settings with the public ones."""

    folder: Path
    public: Mapping[str, str]

    @classmethod
    def new(cls, folder: Path) -> Keys:
        return cls(folder, create(folder))

    @property
    def backup(self) -> Path:
        return self.folder / NAMES["BACKUP_KEY"]

    @property
    def deals(self) -> Path:
        return self.folder / NAMES["BACKUP_DEALS_KEY"]

    @property
    def options(self) -> list[str]:
        return ["--key", str(self.backup), "--deals-key", str(self.deals)]


@dataclass(frozen=True)
class Contents:
    """A decrypted backup. ``public`` are its parts as a thief of the first key has them, ``sealed`` the opened others.

    Rows are decompressed.
    """

    header: Header
    end: End
    public: Mapping[str, bytes]
    sealed: Mapping[str, bytes]

    def lines(self, table: str) -> list[bytes]:
        """All rows of a table in one order."""
        parts = {**self.public, **self.sealed}
        return sorted(
            line for name, data in parts.items() if name.split("/")[1:2] == [table] for line in data.split(b"\n")[:-1]
        )


def contents(path: Path, keys: Keys) -> Contents:
    public, sealed = dict[str, bytes](), dict[str, bytes]()
    with opened_backup(path, private_key(keys.backup)) as parts:
        for name, data in parts:
            if name.startswith("sealed/"):
                public[name] = data
                sealed[name] = decompressed(unseal(data, private_key(keys.deals)))
            else:
                public[name] = decompressed(data) if name.startswith("tables/") else data
    header = msgspec.json.decode(public["backup.json"], type=Header)
    end = msgspec.json.decode(public["end.json"], type=End)
    return Contents(header, end, public, sealed)


@dataclass(frozen=True)
class EmptySite:
    """A site without a database yet. Commands run in a separate process."""

    environment: Mapping[str, str]

    def manage(self, *arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *map(str, arguments)],
            cwd=ROOT,
            env={**os.environ, **self.environment, **more},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def folder(self) -> Path:
        return Path(self.environment["VAR_DIR"])

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """The rows of a query on its database."""
        program = f"from django.db import connection as c; k = c.cursor(); k.execute({sql!r}); print(k.fetchall())"
        done = self.manage("shell", "--verbosity", "0", "--command", program)
        assert done.returncode == 0, done.stderr
        return list(eval(done.stdout))


@contextmanager
def empty_site(folder: Path, keys: Keys, vendor: str = "", server: str = "") -> Iterator[EmptySite]:
    """An empty site with data in ``folder``, on the server of the test or on the PostgreSQL ``server``."""
    environment = {
        **keys.public,
        "VAR_DIR": str(folder),
        "DATABASE_URL": "",
        "SECRET_KEY": settings.SECRET_KEY,
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "esr_platform.settings",
    }
    if (vendor or connection.vendor) == "sqlite":
        yield EmptySite(environment)
        return
    name = f"restored_{token_hex(4)}"
    known = connection.settings_dict
    server = server or f"postgres://{known['USER']}@{known['HOST']}:{known['PORT']}/postgres"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        try:
            yield EmptySite({**environment, "DATABASE_URL": f"{server.rpartition('/')[0]}/{name}"})
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
