"""Restore a backup into an empty site, also of a newer release, and verify it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

import msgspec
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from pyrage.x25519 import Identity

from bots.uploads.storage import uploads
from esr_platform.backups import BackupProblem
from esr_platform.backups.backup import FORMAT, End, Header, is_upload
from esr_platform.backups.checks import verified
from esr_platform.backups.files import decompressed, opened_backup, sync, unseal
from esr_platform.backups.keys import fingerprint
from esr_platform.backups.tables import Columns, Loader, loading, require_database
from esr_platform.secret import private_database

Say = Callable[[str], None]
Parts = Iterator[tuple[str, bytes]]
Read = TypeVar("Read")

_OF_MIGRATIONS = {"django_migrations", "django_content_type", "auth_permission"}
"""Tables with rows after ``manage.py migrate`` on an empty database."""


def restore(
    path: Path, key: Identity, deals_key: Identity, say: Say, warn: Say, *, temporary: bool = False
) -> list[str]:
    """Restore the backup ``path`` into this site, which must be empty, and verify it. Returns the faults found.

    ``say`` gets a line for each step, ``warn`` one for everything that the backup lacks. No one signs in to a
    ``temporary`` site, so it may have another secret key. Raises ``BackupProblem`` if the backup cannot be restored.
    The site is then still empty.
    """
    require_database()
    with opened_backup(path, key) as parts:
        header = _header(path, parts, deals_key)
        say(f"Backup of {header.created:%d %b %Y, %H:%M:%S} UTC, version {header.version}, {header.database}")
        try:
            with _empty_database():
                end = _fill(path, header, parts, deals_key)
        except (DatabaseError, ValueError) as error:
            text = str(error).strip().partition("\n")[0].rstrip(".")
            raise BackupProblem(
                f"The backup cannot be loaded into the database: {text}. The site is still empty."
            ) from error
    say(f"Restored {sum(end.rows.values())} rows and {end.uploads} uploads")
    for name in end.missing:
        warn(f"The backup does not contain the upload {name}, which the site had lost before.")
    keys = {fingerprint(one) for one in (settings.SECRET_KEY, *settings.EARLIER_SECRET_KEYS)}
    if header.secret_key not in keys and not temporary:
        warn(
            "The backup was made with another SECRET_KEY. Authenticator apps and recovery codes do not work until you "
            "add it to SECRET_KEY_FALLBACKS."
        )
    found = list[str]()
    for text, faults in verified():
        say(f"Verified {text}: {len(faults)} faults")
        found.extend(faults)
    return found


def _fill(path: Path, header: Header, parts: Parts, deals_key: Identity) -> End:
    """Fill the empty database and the storage of uploads. After an error, new uploads are deleted again."""
    _migrate_to(header)
    new = list[str]()
    try:
        with loading() as loader:
            end = _load(path, header, parts, deals_key, loader, new)
        call_command("migrate", verbosity=0, interactive=False)
    except BaseException:
        _delete_uploads(new)
        raise
    return end


# --- The header and the state of the database ------------------------------------------------------------------------


def _header(path: Path, parts: Parts, deals_key: Identity) -> Header:
    """Read the first part. Raises ``BackupProblem`` if this version, or this key, cannot restore the backup."""
    name, data = next(parts, ("", b""))
    if name != "backup.json":
        raise BackupProblem(f"{path} is not a backup of a site. Use a file of `manage.py backup`.")
    if (format_ := _decoded(path, data, dict[str, Any]).get("format")) != FORMAT:
        raise BackupProblem(f"{path} has the format {format_}, but this version reads {FORMAT}. {_UPGRADE}")
    header = _decoded(path, data, Header)
    if str(deals_key.to_public()) != header.deals_key:
        raise BackupProblem(
            "The second key cannot decrypt the sealed rows of this backup. Use the private key of the BACKUP_DEALS_KEY "
            f"{header.deals_key}."
        )
    return header


def _decoded(path: Path, data: bytes, kind: type[Read]) -> Read:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.MsgspecError as error:
        raise BackupProblem(f"{path} cannot be read: {error}. Use another backup.") from None


_UPGRADE = "Install the version that made the backup, or a newer one."


def _migrate_to(header: Header) -> None:
    """Create the tables as they were when the backup was made."""
    executor = MigrationExecutor(connection)
    graph, applied = executor.loader.graph, set(header.migrations)
    apps = {app for app, _ in graph.nodes}
    newer = sorted(f"{app}.{name}" for app, name in applied if app in apps and (app, name) not in graph.nodes)
    if newer:
        raise BackupProblem(
            f"The backup is of the newer version {header.version}. Unknown migrations: {', '.join(newer)}. {_UPGRADE}"
        )
    executor.migrate([node for app in sorted(apps) for node in _last(graph, app, applied)])


def _last(graph: Any, app: str, applied: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The applied migrations of ``app`` after which no other one of it was applied."""
    of_app = [node for node in applied & set(graph.nodes) if node[0] == app]
    for node in of_app:
        if not any(child.key in applied and child.key[0] == app for child in graph.node_map[node].children):
            yield node


# --- Rows and uploads ------------------------------------------------------------------------------------------------


def _load(path: Path, header: Header, parts: Parts, deals_key: Identity, loader: Loader, new_uploads: list[str]) -> End:
    """Load all parts. The names of uploads that the storage did not have are added to ``new_uploads``."""
    tables = loader.tables()
    loader.clear(tables.keys() - {"django_migrations"})  # migrations can have added rows, which the backup also has
    rows, files, end = dict.fromkeys(header.tables, 0), 0, None
    for name, data in parts:
        kind, _, rest = name.partition("/")
        if kind in ("tables", "sealed"):
            table = rest.partition("/")[0]
            lines = decompressed(unseal(data, deals_key) if kind == "sealed" else data)
            loader.load(table, _columns(header, tables, table), lines)
            rows[table] += lines.count(b"\n")
        elif kind == "uploads":
            _store_upload(path, rest, data, new_uploads)
            files += 1
        elif name == "end.json":
            end = _decoded(path, data, End)
    if end is None or rows != end.rows or files != end.uploads:
        raise BackupProblem(f"{path} is not complete. Use another backup.")
    loader.set_sequences(end.sequences)
    return end


def _columns(header: Header, tables: dict[str, Columns], table: str) -> Columns:
    columns = header.tables[table]
    if table not in tables:
        raise BackupProblem(
            f"The backup has rows of the table {table}, which this site does not have. Configure the same providers of "
            "linked accounts as on the site of the backup."
        )
    if set(columns) != set(tables[table]):
        raise BackupProblem(f"The table {table} has other columns than in the backup. {_UPGRADE}")
    return columns


def _store_upload(path: Path, name: str, data: bytes, new: list[str]) -> None:
    if not is_upload(name, data):
        raise BackupProblem(f"The upload {name} in {path} differs from its hash. Use another backup.")
    try:
        if not uploads().exists(name):
            new.append(name)
        uploads().save(name, ContentFile(data))
    except Exception as error:  # boundary to a storage: each kind has its own errors
        raise BackupProblem(f"Cannot store the upload {name}: {error}. The site is still empty.") from error


def _delete_uploads(names: Sequence[str]) -> None:
    for name in names:
        uploads().delete(name)


# --- The empty database ----------------------------------------------------------------------------------------------


@contextmanager
def _empty_database() -> Iterator[None]:
    """A database without tables, as the site's one. After an error, the site's database is empty again.

    Raises ``BackupProblem`` if it is not empty now.
    """
    full = _table_with_rows()
    if full:
        raise BackupProblem(
            f"The site is not empty: there are rows in {full}. Restore into an empty database: for PostgreSQL, "
            "create one and set DATABASE_URL to it; for SQLite, move the old file away or set VAR_DIR to a new folder."
        )
    with _empty_postgres() if connection.vendor == "postgresql" else _temporary_sqlite():
        yield


def _table_with_rows() -> str:
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table in _OF_MIGRATIONS:
                continue
            cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(table)} LIMIT 1")  # noqa: S608 - a name
            if cursor.fetchone():
                return table
    return ""


@contextmanager
def _empty_postgres() -> Iterator[None]:
    _drop_tables()
    try:
        yield
    except BaseException:
        connection.close()  # it may be unusable
        _drop_tables()
        raise


def _drop_tables() -> None:
    """Drop all tables, which have no rows or only those of this restore."""
    with connection.cursor() as cursor:
        tables = ", ".join(map(connection.ops.quote_name, connection.introspection.table_names(cursor)))
        if tables:
            cursor.execute(f"DROP TABLE {tables} CASCADE")


@contextmanager
def _temporary_sqlite() -> Iterator[None]:
    """Restore into a new file, which replaces that of the site only when it is complete and on the disk."""
    site = Path(connection.settings_dict["NAME"])
    part = site.with_name(f"{site.name}.{token_hex(4)}.part")
    connection.close()
    connection.settings_dict["NAME"] = str(part)
    try:
        try:
            private_database(part)
        except OSError as error:
            raise BackupProblem(f"Cannot write {part}: {error.strerror}. The site is still empty.") from None
        yield
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        sync(part)
        for end in ("-wal", "-shm"):
            site.with_name(site.name + end).unlink(missing_ok=True)
        part.rename(site)
        sync(site.parent)
    finally:
        connection.close()
        connection.settings_dict["NAME"] = str(site)
        for end in ("", "-wal", "-shm", "-journal"):
            part.with_name(part.name + end).unlink(missing_ok=True)
