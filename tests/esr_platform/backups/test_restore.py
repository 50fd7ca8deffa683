"""A restored site has everything, also on another kind of database and of an older release, or it is still empty."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import psycopg
import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import F

from bots.models import BotVersion
from bots.uploads.storage import uploads
from esr_platform.backups.backup import back_up
from esr_platform.backups.files import new_backup, opened_backup
from esr_platform.backups.keys import private_key
from ladder.matches.dispatch import dispatch
from ladder.models import Ladder, Membership, Result, SeatResult
from tests.build import opened_house, players_of, scheduled
from tests.esr_platform.backups.busy import BusySite, busy_site
from tests.esr_platform.backups.sites import Contents, EmptySite, Keys, contents, empty_site
from tests.services.ports import wait_until
from tests.services.postgres import postgres_server
from tests.services.workers import Processes

ADDED_TO = {"ladder_rebuildrun", "ladder_chainmark", "auth_permission", "django_content_type"}
"""Tables to which a restore adds rows: about its verification, and what tests leave out (``tests/conftest.py``)."""


@pytest.fixture
def built(transactional_db: None) -> BusySite:
    return busy_site()


@pytest.fixture
def path(built: BusySite, keys: Keys, tmp_path: Path) -> Path:
    """A backup of the busy site."""
    back_up(tmp_path / "site.backup")
    return tmp_path / "site.backup"


@pytest.fixture
def site(keys: Keys, tmp_path: Path) -> Iterator[EmptySite]:
    with empty_site(tmp_path / "restored", keys) as site:
        yield site


def backup_of(site: EmptySite, path: Path, keys: Keys) -> Contents:
    done = site.manage("backup", path)
    assert done.returncode == 0, done.stderr
    return contents(path, keys)


def differences(one: Contents, other: Contents) -> list[str]:
    """The tables whose rows differ."""
    tables = (one.header.tables.keys() | other.header.tables.keys()) - ADDED_TO
    return [table for table in sorted(tables) if one.lines(table) != other.lines(table)]


def is_empty(site: EmptySite) -> bool:
    """Whether nothing is left of a restore: no table, no upload and no temporary file."""
    files = [path for path in site.folder.rglob("*") if path.is_file()]
    if any("uploads" in path.parts or path.name.endswith(".part") for path in files):
        return False
    if "postgres" in site.environment["DATABASE_URL"]:
        with psycopg.connect(site.environment["DATABASE_URL"]) as database:
            return database.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'public'").fetchone() is None
    with closing(sqlite3.connect(site.folder / "db.sqlite3")) as database:
        return database.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def changed(path: Path, keys: Keys, change: dict[str, bytes | None]) -> Path:
    """A copy of a backup in which parts have other contents, or are missing."""
    copy = path.with_name("changed.backup")
    key = private_key(keys.backup)
    with opened_backup(path, key) as parts, new_backup(copy, key.to_public()) as add:
        for name, data in parts:
            if (new := change.get(name, data)) is not None:
                add(name, new)
    return copy


# --- Whole sites -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_restored_site_has_all_rows_and_uploads_and_is_verified(
    path: Path, keys: Keys, site: EmptySite, built: BusySite, tmp_path: Path
) -> None:
    done = site.manage("restore", path, *keys.options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    again = backup_of(site, tmp_path / "again.backup", keys)
    assert differences(contents(path, keys), again) == []
    assert again.end.sequences == contents(path, keys).end.sequences | {
        table: again.end.sequences[table] for table in ADDED_TO & again.end.sequences.keys()
    }
    stored = BotVersion.objects.get(pk=built.version).archive
    with uploads().open(stored) as file:
        assert (site.folder / "uploads" / stored).read_bytes() == file.read()
    full = site.manage("restore", path, *keys.options)
    assert (full.returncode, "not empty" in full.stderr) == (1, True)
    assert differences(again, backup_of(site, tmp_path / "untouched.backup", keys)) == []


@pytest.mark.slow
def test_a_site_moves_to_the_other_database_and_back(path: Path, keys: Keys, tmp_path: Path) -> None:
    kinds = ["postgresql", "sqlite"] if connection.vendor == "sqlite" else ["sqlite", "postgresql"]
    backup = path
    with postgres_server() as server:
        for number, kind in enumerate(kinds):
            with empty_site(tmp_path / f"site{number}", keys, kind, server) as site:
                done = site.manage("restore", backup, *keys.options)
                assert done.returncode == 0, done.stdout + done.stderr
                backup = tmp_path / f"{number}.backup"
                moved = backup_of(site, backup, keys)
                assert moved.header.database == kind
    original = contents(path, keys)
    assert [(table, spelled(original, table) ^ spelled(moved, table)) for table in differences(original, moved)
            if spelled(original, table) != spelled(moved, table)] == []  # fmt: skip


def spelled(backup: Contents, table: str) -> set[tuple[object, ...]]:
    """The rows of a table with values whose text the databases choose: JSON, and fractions of seconds."""

    def value(text: str) -> object:
        if text.startswith(("{", "[")):
            return msgspec.json.encode(msgspec.json.decode(text.replace("\\\\", "\\")), order="sorted")
        whole, point, fraction = text.partition(".")
        return f"{whole}.{fraction.rstrip('0')}" if len(whole) == 19 and (not point or fraction.isdecimal()) else text

    return {tuple(map(value, line.decode().split("\t"))) for line in backup.lines(table)}


@pytest.mark.slow
def test_a_backup_of_an_older_release_is_upgraded(built: BusySite, keys: Keys, site: EmptySite, tmp_path: Path) -> None:
    executor = MigrationExecutor(connection)
    newest = executor.loader.graph.leaf_nodes()
    executor.migrate([("ladder", "0010_live_seat_lease")])
    try:
        back_up(tmp_path / "old.backup")
    finally:
        MigrationExecutor(connection).migrate(newest)
    old = contents(tmp_path / "old.backup", keys)
    assert "win_shares" not in old.header.tables["ladder_membership"]
    done = site.manage("restore", tmp_path / "old.backup", *keys.options)
    assert done.returncode == 0, done.stdout + done.stderr
    back_up(tmp_path / "new.backup")
    new, restored = contents(tmp_path / "new.backup", keys), backup_of(site, tmp_path / "again.backup", keys)
    assert restored.header.migrations[-1] in new.header.migrations
    assert differences(new, restored) == []


@pytest.mark.slow
def test_matches_that_are_played_meanwhile_are_whole_or_still_to_be_played(
    site_processes: Processes, keys: Keys, tmp_path: Path
) -> None:
    opened_house()
    ladder = Ladder.objects.get(slug="edel-stein-reich-duel")
    members = list(Membership.objects.filter(ladder=ladder).select_related("bot").order_by("pk"))
    for number in range(40):
        scheduled(ladder, players_of([members[0], members[1 + number % 3]]), sent=False)
    site_processes.worker(processes=2)
    dispatch()
    wait_until(lambda: Result.objects.count() >= 5, "matches are played")
    backups = [tmp_path / f"{number}.backup" for number in range(3)]
    finished = []
    for path in backups:
        before = Result.objects.count()
        back_up(path)
        finished.append((before, Result.objects.count()))
        wait_until(lambda: Result.objects.count() > finished[-1][1], "matches are still played")
        dispatch()
    for number, (path, (before, after)) in enumerate(zip(backups, finished, strict=True)):
        end = contents(path, keys).end
        assert before <= end.rows["ladder_result"] <= after
        if number < len(backups) - 1:
            continue
        with empty_site(tmp_path / "restored", keys) as site:
            done = site.manage("restore", path, *keys.options)
            assert done.returncode == 0, done.stdout + done.stderr
            ((results, seats, ledger, status),) = site.rows(
                "SELECT (SELECT count(*) FROM ladder_result), (SELECT count(*) FROM ladder_seatresult),"
                " (SELECT count(*) FROM ladder_ledgerentry WHERE kind = 'result'),"
                " (SELECT count(*) FROM ladder_match WHERE status = 'finished')"
            )
            assert (seats, ledger, status) == (2 * int(str(results)), results, results)


@pytest.mark.slow
def test_a_drill_verifies_a_backup_and_leaves_nothing(path: Path, keys: Keys, site: EmptySite, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    before = databases()
    other = {"SECRET_KEY": "abcdefghijklmnopqrstuvwxyz0123456789" * 2}  # of another machine
    done = site.manage("restore", "--drill", path, *keys.options, TMPDIR=str(temporary), **other)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verified" in done.stdout
    assert "SECRET_KEY" not in done.stderr, "no one signs in to the temporary site"
    assert (os.listdir(temporary), databases(), is_empty(site)) == ([], before, True)


@pytest.mark.slow
def test_a_drill_fails_if_a_rating_is_wrong(built: BusySite, keys: Keys, site: EmptySite, tmp_path: Path) -> None:
    before = databases()
    rated = SeatResult.objects.exclude(rating_after=None).order_by("pk")[:1]
    SeatResult.objects.filter(pk__in=rated.values("pk")).update(rating_after=F("rating_after") + 1)
    back_up(tmp_path / "site.backup")
    done = site.manage("restore", "--drill", tmp_path / "site.backup", *keys.options)
    assert done.returncode == 1, done.stdout + done.stderr
    assert (databases(), is_empty(site)) == (before, True)


def databases() -> set[str]:
    """The databases of the server of the test."""
    if connection.vendor == "sqlite":
        return set()
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE datname LIKE 'steinreich%'")
        return {name for (name,) in cursor.fetchall()}


# --- Refused backups -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["truncated", "without its end", "other counts", "another upload", "a row twice"])
def test_a_restore_that_fails_in_the_middle_leaves_an_empty_site(
    fault: str, path: Path, keys: Keys, site: EmptySite
) -> None:
    parts = contents(path, keys)
    upload = next(name for name in parts.public if name.startswith("uploads/"))
    fewer = msgspec.structs.replace(parts.end, rows={**parts.end.rows, "ladder_match": 1})
    broken = path.with_name("truncated.backup")
    broken.write_bytes(path.read_bytes()[:-100])
    if fault != "truncated":
        with opened_backup(path, private_key(keys.backup)) as raw:
            matches = next(data for name, data in raw if name.startswith("tables/ladder_match/"))
        change: dict[str, dict[str, bytes | None]] = {
            "without its end": {"end.json": None},
            "other counts": {"end.json": msgspec.json.encode(fewer)},
            "another upload": {upload: b"print('evil')"},
            "a row twice": {"tables/ladder_seat/000001.zst": matches},
        }
        broken = changed(path, keys, change[fault])
    done = site.manage("restore", broken, *keys.options)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stdout + done.stderr
    assert is_empty(site)
    if fault == "truncated":
        assert site.manage("restore", path, *keys.options).returncode == 0


@pytest.mark.parametrize(
    "fault", ["wrong key", "wrong deals key", "newer release", "newer format", "damaged header", "no backup", "no file"]
)
def test_a_backup_that_cannot_be_restored_is_refused_before_anything_is_written(
    fault: str, path: Path, keys: Keys, site: EmptySite, tmp_path: Path
) -> None:
    others = Keys.new(tmp_path / "others")
    header = contents(path, keys).header
    newer = msgspec.structs.replace(header, version="9.0", migrations=[*header.migrations, ("ladder", "0999_later")])
    options = {
        "wrong key": ["--key", others.backup, "--deals-key", keys.deals],
        "wrong deals key": ["--key", keys.backup, "--deals-key", others.deals],
    }.get(fault, keys.options)
    match fault:
        case "newer release":
            path = changed(path, keys, {"backup.json": msgspec.json.encode(newer)})
        case "newer format":
            path = changed(path, keys, {"backup.json": b'{"format": 2, "anything": []}'})
        case "damaged header":
            start, kind, rest = path.read_bytes().partition(b"-> X25519 ")
            path = path.with_name("damaged.backup")
            path.write_bytes(start + kind + (b"B" if rest[:1] == b"A" else b"A") + rest[1:])
        case "no backup":
            path = Path(__file__)
        case "no file":
            path = tmp_path / "nowhere"
    done = site.manage("restore", path, *options)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stdout + done.stderr
    expected = {
        "wrong key": "BACKUP_KEY",
        "wrong deals key": "BACKUP_DEALS_KEY",
        "newer release": "ladder.0999_later",
        "newer format": "format 2",
        "damaged header": "damaged",
        "no backup": "not a backup",
        "no file": "nowhere",
    }
    assert expected[fault] in done.stderr
    assert is_empty(site)


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no server")
@pytest.mark.parametrize("fault", ["no such database", "wrong port"])
def test_a_server_that_refuses_says_why(fault: str, path: Path, keys: Keys, site: EmptySite, tmp_path: Path) -> None:
    url = site.environment["DATABASE_URL"]
    wrong, reason = {
        "no such database": (f"{url}_2", "does not exist"),
        "wrong port": (urlsplit(url)._replace(netloc="ada:secret@127.0.0.1:1").geturl(), "refused"),
    }[fault]
    commands = (
        ["restore", path, *keys.options],
        ["restore", "--drill", path, *keys.options],
        ["backup", tmp_path / "new.backup"],
    )
    for command in commands:
        done = site.manage(*command, DATABASE_URL=wrong)
        assert (done.returncode, reason in done.stderr, "Traceback" in done.stderr) == (1, True, False), done.stderr
        assert "secret" not in done.stderr


def test_a_database_without_tables_cannot_be_backed_up(keys: Keys, site: EmptySite, tmp_path: Path) -> None:
    done = site.manage("backup", tmp_path / "site.backup")
    assert (done.returncode, "DATABASE_URL" in done.stderr, "Traceback" in done.stderr) == (1, True, False), done.stderr
    assert list(tmp_path.glob("site.backup*")) == []


@pytest.mark.slow
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="root can write to every file of SQLite")
def test_a_read_only_database_can_be_backed_up_but_not_restored_into(
    path: Path, keys: Keys, site: EmptySite, tmp_path: Path
) -> None:
    url = site.environment["DATABASE_URL"]
    set_read_only = f"ALTER DATABASE {url.rpartition('/')[2]} SET default_transaction_read_only = "
    with psycopg.connect(url, autocommit=True) as database:
        database.execute(set_read_only + "on")
        done = site.manage("restore", path, *keys.options)
        assert (done.returncode, "read-only" in done.stderr, "Traceback" in done.stderr) == (1, True, False), (
            done.stderr
        )
        assert is_empty(site)
        database.execute("SET default_transaction_read_only = off")
        database.execute(set_read_only + "off")
        assert site.manage("restore", path, *keys.options).returncode == 0
        database.execute(set_read_only + "on")
        assert differences(contents(path, keys), backup_of(site, tmp_path / "again.backup", keys)) == []
