"""A backup contains the site, and does not tell a thief any future deal."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from bots.models import BotVersion
from bots.uploads.storage import uploads
from esr_platform.accounts.models import User
from esr_platform.backups import BackupProblem
from esr_platform.backups.backup import back_up
from esr_platform.backups.keys import NAMES, private_key
from esr_platform.backups.tables import LEFT_OUT, SECRET_ROWS
from ladder.models import Match, PlayedMove
from tests.esr_platform.backups.busy import BusySite, busy_site, public_deals, secrets
from tests.esr_platform.backups.sites import Contents, Keys, contents

transactions = pytest.mark.django_db(transaction=True)


@pytest.fixture
def built(transactional_db: None) -> BusySite:
    return busy_site()


@pytest.fixture
def opened(built: BusySite, keys: Keys, tmp_path: Path) -> Contents:
    """A backup of the busy site, decrypted."""
    back_up(tmp_path / "site.backup")
    return contents(tmp_path / "site.backup", keys)


def spellings(value: bytes) -> Iterable[bytes]:
    """A value in bytes, in hexadecimal digits, and in Base64 wherever it begins in the encoded text."""
    yield value
    yield value.hex().encode()
    yield value.hex().upper().encode()
    for shift in range(3):
        inner = b64encode(b"\0" * shift + value)[4 if shift else 0 : (shift + len(value)) // 3 * 4]
        yield inner
        yield inner.translate(bytes.maketrans(b"+/", b"-_"))


def found_in(parts: Iterable[bytes], values: dict[str, bytes]) -> set[str]:
    """The names of the values that are somewhere in ``parts``, in any spelling."""
    everything = b"\0".join(parts)
    return {name for name, value in values.items() if any(one in everything for one in spellings(value))}


def test_a_decrypted_backup_tells_no_deal_that_is_not_public(opened: Contents) -> None:
    hidden, public = secrets(), public_deals()
    for kind in ("key of edel", "key of Running", "seed of", "record of", "deal 1 of", "deal of round", "key of live"):
        assert any(name.startswith(kind) for name in hidden), kind
    assert found_in(opened.public.values(), hidden) == set()
    assert found_in(opened.public.values(), public) == set(public)


def test_the_second_key_opens_what_is_stored_of_them(opened: Contents) -> None:
    stored = {name: value for name, value in secrets().items() if not name.startswith("deal ")}
    assert found_in(opened.sealed.values(), stored) == set(stored)


def test_moves_of_a_running_live_game_are_sealed(opened: Contents) -> None:
    moves = PlayedMove.objects.count()
    assert moves == opened.end.rows["ladder_playedmove"] >= 6
    sealed = sum(data.count(b"\n") for name, data in opened.sealed.items() if "/ladder_playedmove/" in name)
    assert sealed == moves
    assert not any(name.startswith("tables/ladder_playedmove/") for name in opened.public)


NOT_ABOUT_A_DEAL = {
    "ladder_match": "who plays, where and when",
    "ladder_seat": "who sits where",
    "ladder_attempt": "which worker played, and its errors",
    "ladder_rerun": "who was late",
    "ladder_recheck": "whether a game was the same again, after its deal is public",
    "ladder_table": "clocks and counts",
    "ladder_occupant": "who sat at a seat from which move on",
    "ladder_outage": "times",
    "ladder_chatline": "what players wrote",
    "ladder_chatreport": "reports about it",
    "ladder_guestnamereport": "reports about names",
    "ladder_proposal": "offers and agreements",
    "ladder_proposalplayer": "who is invited",
    "ladder_ledgerentry": "public, with only the hash of the record",
    "ladder_intervention": "public corrections",
}
"""Tables that refer to matches or blocks, directly or not, and tell nothing of a deal."""


def test_every_table_about_matches_is_known_to_be_secret_or_harmless() -> None:
    about, grown = {"ladder_block", "ladder_match"}, True
    while grown:
        refers = {
            model._meta.db_table
            for model in apps.get_models(include_auto_created=True)
            for field in model._meta.concrete_fields
            if field.is_relation and field.related_model._meta.db_table in about  # type: ignore[union-attr]
        }
        grown = not refers <= about
        about |= refers
    binary = {
        model._meta.db_table
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if field.get_internal_type() == "BinaryField" and field.name in ("key", "seed")
    }
    assert about | binary == set(SECRET_ROWS) | set(NOT_ABOUT_A_DEAL)


def test_sessions_and_secrets_of_tokens_are_left_out(opened: Contents, built: BusySite) -> None:
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
    assert opened.header.tables.keys() == tables - LEFT_OUT
    texts = {"session": built.session.encode(), "token": built.token.encode()}
    assert found_in([*opened.public.values(), *opened.sealed.values()], texts) == set()
    digest = User.objects.get(username="ann").tokens.get().digest
    assert found_in(opened.public.values(), {"digest": digest.encode()})


def test_the_file_itself_tells_nothing(built: BusySite, keys: Keys, tmp_path: Path) -> None:
    back_up(tmp_path / "site.backup")
    data = (tmp_path / "site.backup").read_bytes()
    assert found_in([data], {**secrets(), **public_deals(), "name": b"ann@example.org"}) == set()


def test_uploads_are_in_it_byte_for_byte(opened: Contents, built: BusySite) -> None:
    version = BotVersion.objects.get(pk=built.version)
    with uploads().open(version.archive) as file:
        assert opened.public[f"uploads/{version.archive}"] == file.read()
    assert (opened.end.uploads, list(opened.end.missing)) == (1, [])


@transactions
@pytest.mark.parametrize("damaged", [False, True])
def test_a_missing_or_damaged_upload_is_named_and_all_else_is_backed_up(
    damaged: bool, built: BusySite, keys: Keys, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = BotVersion.objects.get(pk=built.version).archive
    place = Path(uploads().path(path))
    before = place.read_bytes()
    place.write_bytes(before + b"!") if damaged else place.unlink()
    try:
        call_command("backup", str(tmp_path / "site.backup"))
    finally:
        place.write_bytes(before)
    assert path in capsys.readouterr().err
    made = contents(tmp_path / "site.backup", keys)
    assert (made.end.uploads, list(made.end.missing)) == (0, [path])
    assert made.end.rows["ladder_match"] == Match.objects.count()


# --- Keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [["BACKUP_KEY"], ["BACKUP_DEALS_KEY"], ["BACKUP_KEY", "BACKUP_DEALS_KEY"]])
@transactions
def test_without_two_public_keys_there_is_no_backup_and_the_missing_ones_are_named(
    missing: list[str], keys: Keys, settings: Any, tmp_path: Path
) -> None:
    for name in missing:
        setattr(settings, name, "")
    with pytest.raises(CommandError) as refused:
        call_command("backup", str(tmp_path / "site.backup"))
    assert [name for name in keys.public if name in str(refused.value)] == missing
    assert list(tmp_path.glob("site*")) == []


def test_new_keys_never_replace_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("backup_keys", str(tmp_path))
    printed = dict(line.split("=", 1) for line in capsys.readouterr().out.split())
    files = {name: tmp_path / NAMES[name] for name in printed}
    assert {name: str(private_key(file).to_public()) for name, file in files.items()} == printed
    assert {file.stat().st_mode & 0o777 for file in files.values()} == {0o600}
    before = [file.read_bytes() for file in files.values()]
    with pytest.raises(CommandError, match="exists"):
        call_command("backup_keys", str(tmp_path))
    assert [file.read_bytes() for file in files.values()] == before


@pytest.mark.parametrize("text", ["", "hello", "AGE-SECRET-KEY-1", "# only a comment\n"])
def test_a_file_without_a_private_key_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(text)
    with pytest.raises(BackupProblem, match="AGE-SECRET-KEY"):
        private_key(tmp_path / "key")
