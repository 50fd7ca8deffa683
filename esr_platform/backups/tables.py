"""The rows of all tables in the text format of PostgreSQL's ``COPY``, read at one moment and loaded, on each database.

PostgreSQL reads and writes this format itself. For SQLite, which stores times, truth values, UUIDs and bytes in other
forms, SQL writes it and Python reads it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, Final, Protocol
from urllib.parse import quote

from django.db import connection, transaction

from esr_platform.backups import BackupProblem
from esr_platform.disconnects import connection_problem

CHUNK_BYTES: Final = 4 << 20
"""About the size of a part with rows."""

LEFT_OUT: Final = frozenset({"django_migrations", "django_session"})
"""Migrations are part of the header. Sessions would let a thief act as the users."""

_OPEN_MATCHES: Final = "SELECT id FROM ladder_match WHERE block_id IN (SELECT id FROM ladder_block WHERE ended IS NULL)"
_OPEN_RESULTS: Final = f"SELECT id FROM ladder_result WHERE match_id IN ({_OPEN_MATCHES})"  # noqa: S608 - our own names
_OPEN_SEATS: Final = f"SELECT id FROM ladder_seat WHERE match_id IN ({_OPEN_MATCHES})"  # noqa: S608

SECRET_ROWS: Final[Mapping[str, str]] = {
    "ladder_dealseries": "published IS NULL",
    "ladder_cup": "ended IS NULL OR id IN (SELECT cup_id FROM ladder_cupround WHERE ended IS NULL)",
    "ladder_block": "ended IS NULL",
    "ladder_result": f"match_id IN ({_OPEN_MATCHES})",
    "ladder_seatresult": f"result_id IN ({_OPEN_RESULTS})",
    "ladder_seatlog": f"seat_id IN ({_OPEN_SEATS})",
    "ladder_liveseat": f"table_id IN ({_OPEN_MATCHES})",
    "ladder_playedmove": f"match_id IN ({_OPEN_MATCHES})",
}
"""By table, a condition in SQL for the rows that tell a deal which is not public yet (``ladder.openness``).

They are keys, seeds, and the records, logs and moves of games whose deal is still played.
"""

Columns = Sequence[str]


def require_database() -> None:
    """Raise ``BackupProblem`` with PostgreSQL's own reason if the site's database cannot be reached."""
    if problem := connection_problem():
        raise BackupProblem(f"{problem}. Create the database or correct DATABASE_URL.")


# --- Reading ---------------------------------------------------------------------------------------------------------


class Snapshot(Protocol):
    """The database at one moment, whatever is written meanwhile."""

    def select(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""

    def tables(self) -> dict[str, Columns]:
        """The tables with their columns, without generated ones."""

    def sequences(self) -> dict[str, int]:
        """By table, the last id that was assigned."""

    def lines(self, table: str, columns: Columns, where: str) -> Iterator[bytes]:
        """The rows as lines, in chunks of about ``CHUNK_BYTES``."""


@contextmanager
def snapshot() -> Iterator[Snapshot]:
    """The site's database now. Others can write meanwhile."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL datestyle = 'ISO'; SET LOCAL bytea_output = 'hex'; SET LOCAL timezone = 'UTC'")
            yield PostgresSnapshot(cursor)
        return
    name = quote(str(connection.settings_dict["NAME"]))
    with closing(sqlite3.connect(f"file:{name}?mode=ro", uri=True, isolation_level=None, timeout=20)) as database:
        database.text_factory = bytes
        database.execute("BEGIN")
        yield SqliteSnapshot(database)


class PostgresSnapshot:
    """A transaction that sees the database as it was at its beginning. Ids of ``sequences`` can be newer."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def select(self, sql: str) -> list[tuple[Any, ...]]:
        self._cursor.execute(sql)
        return list(self._cursor.fetchall())

    def tables(self) -> dict[str, Columns]:
        return postgres_tables(self._cursor)

    def sequences(self) -> dict[str, int]:
        last = {}
        for table, _, sequence in postgres_sequences(self._cursor):
            ((number, called),) = self.select(f"SELECT last_value, is_called FROM {sequence}")  # noqa: S608 - a name
            last[table] = number if called else 0
        return last

    def lines(self, table: str, columns: Columns, where: str) -> Iterator[bytes]:
        names = ", ".join(map(_quoted, columns))
        sql = f"COPY (SELECT {names} FROM {_quoted(table)} WHERE {where}) TO STDOUT"  # noqa: S608 - names
        with connection.wrap_database_errors, self._cursor.copy(sql) as copy:
            yield from _chunks(copy)


class SqliteSnapshot:
    """A reading transaction of a write-ahead log, whose writers do not disturb it. Texts are bytes."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def select(self, sql: str) -> list[tuple[Any, ...]]:
        return [
            tuple(value.decode() if isinstance(value, bytes) else value for value in row)
            for row in self._database.execute(sql)
        ]

    def tables(self) -> dict[str, Columns]:
        return {table: list(types) for table, types in self._types().items()}

    def sequences(self) -> dict[str, int]:
        return dict(self.select("SELECT name, seq FROM sqlite_sequence"))

    def lines(self, table: str, columns: Columns, where: str) -> Iterator[bytes]:
        types = self._types()[table]
        values = " || char(9) || ".join(_text_in_sqlite(_quoted(column), types[column]) for column in columns)
        rows = self._database.execute(f"SELECT {values} || char(10) FROM {_quoted(table)} WHERE {where}")  # noqa: S608 - names
        yield from _chunks(row[0] for row in rows)

    def _types(self) -> dict[str, dict[str, str]]:
        return sqlite_types(self.select)


def _text_in_sqlite(column: str, kind: str) -> str:
    """SQL that gives a value of ``column`` as a text in the format of ``COPY``."""
    if kind == "blob":
        text = rf"'\\x' || hex({column})"
    elif kind == "real":
        text = f"printf('%!.17g', {column})"
    elif kind.startswith(("varchar", "text", "char")):
        text = column
        for number, escaped in ((92, r"\\"), (9, r"\t"), (10, r"\n"), (13, r"\r")):
            text = f"replace({text}, char({number}), '{escaped}')"
    else:
        text = column
    return rf"CASE WHEN {column} IS NULL THEN '\N' ELSE {text} END"


def _chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    chunk, size = list[bytes](), 0
    for line in lines:
        chunk.append(line)
        size += len(line)
        if size >= CHUNK_BYTES:
            yield b"".join(chunk)
            chunk, size = [], 0
    if chunk:
        yield b"".join(chunk)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# --- What tables there are -------------------------------------------------------------------------------------------


def postgres_tables(cursor: Any) -> dict[str, Columns]:
    """The tables of the current schema with their columns, without generated ones."""
    cursor.execute(
        "SELECT table_name, column_name FROM information_schema.columns JOIN information_schema.tables"
        " USING (table_schema, table_name) WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
        " AND is_generated = 'NEVER' ORDER BY table_name, ordinal_position"
    )
    tables: dict[str, list[str]] = {}
    for table, column in cursor.fetchall():
        tables.setdefault(table, []).append(column)
    return dict(tables)


def postgres_sequences(cursor: Any) -> list[tuple[str, str, str]]:
    """The table, the column and the quoted sequence of each generated id."""
    cursor.execute(
        "SELECT c.relname, a.attname, pg_get_serial_sequence(quote_ident(c.relname), a.attname) FROM pg_attribute a"
        " JOIN pg_class c ON c.oid = a.attrelid WHERE a.attidentity <> '' AND c.relkind = 'r'"
        " AND c.relnamespace = current_schema()::regnamespace ORDER BY 1, 2"
    )
    return list(cursor.fetchall())


def sqlite_types(select: Callable[[str], Iterable[tuple[Any, ...]]]) -> dict[str, dict[str, str]]:
    """By table and column, the declared type in small letters."""
    tables = [name for (name,) in select("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return {
        table: {row[1]: str(row[2]).lower() for row in select(f"PRAGMA table_info({_quoted(table)})")}
        for table in tables
        if not table.startswith("sqlite_")
    }


# --- Loading ---------------------------------------------------------------------------------------------------------


class Loader(Protocol):
    """Loads rows into empty tables, without foreign keys. :func:`loading` verifies them at the end."""

    def tables(self) -> dict[str, Columns]:
        """The tables with their columns."""

    def clear(self, tables: Iterable[str]) -> None:
        """Delete all rows of these tables."""

    def load(self, table: str, columns: Columns, lines: bytes) -> None:
        """Add rows. Raises ``DatabaseError``, or ``ValueError`` for lines that are no rows."""

    def set_sequences(self, last: Mapping[str, int]) -> None:
        """Assign only ids that are higher than ``last`` and all loaded ones."""


@contextmanager
def loading() -> Iterator[Loader]:
    """Load all rows in one transaction, which verifies foreign keys at its end.

    On SQLite, the file must be temporary, because an error can leave some rows.
    """
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            yield from _loading_postgres(cursor)
        return
    with connection.cursor() as cursor:
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -262144"):
            cursor.execute(f"PRAGMA {pragma}")
        with connection.constraint_checks_disabled(), transaction.atomic():
            yield SqliteLoader(cursor)
            connection.check_constraints()
        cursor.execute("PRAGMA journal_mode = WAL")


def _loading_postgres(cursor: Any) -> Iterator[Loader]:
    """Verify each foreign key with one query at the end, which is much faster than row by row."""
    cursor.execute("SET LOCAL datestyle = 'ISO'; SET LOCAL timezone = 'UTC'; SET LOCAL maintenance_work_mem = '256MB'")
    cursor.execute(
        "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2"
    )
    keys = cursor.fetchall()
    for table, name, _ in keys:
        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    yield PostgresLoader(cursor)
    for table, name, definition in keys:
        cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")


class PostgresLoader:
    """PostgreSQL reads the lines itself."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def tables(self) -> dict[str, Columns]:
        return postgres_tables(self._cursor)

    def clear(self, tables: Iterable[str]) -> None:
        self._cursor.execute(f"TRUNCATE {', '.join(map(_quoted, tables))}")

    def load(self, table: str, columns: Columns, lines: bytes) -> None:
        names = ", ".join(map(_quoted, columns))
        sql = f"COPY {_quoted(table)} ({names}) FROM STDIN"
        with connection.wrap_database_errors, self._cursor.copy(sql) as copy:
            copy.write(lines)

    def set_sequences(self, last: Mapping[str, int]) -> None:
        for table, column, sequence in postgres_sequences(self._cursor):
            self._cursor.execute(f"SELECT max({_quoted(column)}) FROM {_quoted(table)}")  # noqa: S608 - names
            ((highest,),) = self._cursor.fetchall()
            if number := max(highest or 0, last.get(table, 0)):
                self._cursor.execute("SELECT setval(%s, %s)", [sequence, number])


class SqliteLoader:
    """Python reads the lines. Numbers stay texts, which SQLite converts."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor.cursor.connection.cursor()  # without Django's conversion of parameters
        self._types = sqlite_types(lambda sql: self._cursor.execute(sql).fetchall())

    def tables(self) -> dict[str, Columns]:
        return {table: list(types) for table, types in self._types.items()}

    def clear(self, tables: Iterable[str]) -> None:
        for table in tables:
            self._cursor.execute(f"DELETE FROM {_quoted(table)}")  # noqa: S608 - a name

    def load(self, table: str, columns: Columns, lines: bytes) -> None:
        types = self._types[table]
        read = [(place, _READERS[types[name]]) for place, name in enumerate(columns) if types[name] in _READERS]
        rows = list[list[Any]]()
        for line in lines.decode().split("\n")[:-1]:
            row: list[Any] = line.split("\t")
            if "\\" in line:
                row = [_unescaped(value) if "\\" in value else value for value in row]
            for place, convert in read:
                if row[place] is not None:
                    row[place] = convert(row[place])
            rows.append(row)
        names, gaps = ", ".join(map(_quoted, columns)), ", ".join("?" * len(columns))
        sql = f"INSERT INTO {_quoted(table)} ({names}) VALUES ({gaps})"  # noqa: S608 - names
        with connection.wrap_database_errors:
            self._cursor.executemany(sql, rows)

    def set_sequences(self, last: Mapping[str, int]) -> None:
        known = dict(self._cursor.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
        for table in self._types:
            if (number := last.get(table, 0)) <= known.get(table, 0):
                continue
            if table in known:
                self._cursor.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [number, table])
            else:
                self._cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table, number])


_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def _unescaped(value: str) -> str | None:
    if value == r"\N":
        return None
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), value)


def _moment(text: str) -> str:
    """A time as Django writes it to SQLite: in UTC, with six digits after the point unless all are zero."""
    plain = text.removesuffix("+00")
    return plain if plain == text or len(plain) == 19 else f"{plain:0<26}"  # PostgreSQL leaves zeros at the end out


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "blob": lambda text: bytes.fromhex(text[2:]),
    "bool": lambda text: text in ("t", "1"),
    "datetime": _moment,
    "char(32)": lambda text: text.replace("-", ""),
}
"""By declared type, what reads a value; ``char(32)`` is a UUID."""
