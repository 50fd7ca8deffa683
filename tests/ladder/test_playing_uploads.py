"""What it takes that somebody's code sits at a rated table: a proved sandbox, and the bytes as they came."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.base import ContentFile

from bots.models import Bot
from bots.programs import NotHere, program_of
from bots.runner.spec import StoredProgram
from bots.stored import uploads
from ladder.models import Attempt, Ladder, Match
from ladder.opening import open_house
from ladder.playing import play, spec_of
from tests.bots.uploads.storages import Gone
from tests.ladder.uploaded import due_again, match_of, person, uploaded
from tests.services.workers import Processes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _open() -> None:
    open_house()


@pytest.fixture
def bot() -> Bot:
    return uploaded(person("ada"))


@pytest.fixture
def match(bot: Bot) -> Match:
    return match_of(bot, Ladder.objects.get(slug="edel-stein-reich-duel"))


@pytest.fixture(autouse=True)
def _nothing_is_unpacked() -> None:
    forget_unpacked()


def forget_unpacked() -> None:
    shutil.rmtree(Path(settings.VAR_DIR) / "unpacked", ignore_errors=True)


def cut_off(settings: Any) -> None:
    """Nobody answers where the uploads lie."""
    backend = f"{Gone.__module__}.{Gone.__qualname__}"
    settings.STORAGES = {**settings.STORAGES, "uploads": {**settings.STORAGES["uploads"], "BACKEND": backend}}


def archive_of(bot: Bot) -> str:
    version = bot.active_version
    assert version is not None
    return version.archive


def test_what_plays_is_what_was_uploaded_read_back_from_the_storage(
    sandbox_launcher: object, bot: Bot, match: Match
) -> None:
    program = spec_of(match).seats[0].program
    assert isinstance(program, StoredProgram)
    with uploads().open(archive_of(bot), "rb") as file:
        assert (program.folder / program.entry).read_bytes() == file.read()
    assert play(match.pk) == Attempt.Ending.FINISHED
    assert match.result.report["forfeits"] == []


def test_a_match_waits_for_a_storage_that_does_not_answer_and_is_nobodys_loss(
    sandbox_launcher: object, bot: Bot, match: Match, settings: Any
) -> None:
    whole = settings.STORAGES
    cut_off(settings)
    assert [play(match.pk) for _ in range(4)] == [None] * 4
    match.refresh_from_db()
    assert (match.status, match.attempts_started) == ("queued", 0)
    settings.STORAGES = whole
    assert play(match.pk) == Attempt.Ending.FINISHED


def test_a_storage_that_fails_later_stops_nothing_that_is_unpacked(
    sandbox_launcher: object, bot: Bot, match: Match, settings: Any
) -> None:
    spec_of(match)
    cut_off(settings)
    assert play(match.pk) == Attempt.Ending.FINISHED


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: uploads().delete(path), "is not in the storage"),
        (lambda path: uploads().save(path, ContentFile(b"print('somebody else')")), "is not the one that was uploaded"),
        (lambda path: uploads().save(path, ContentFile(b"\xff\xfe")), "cannot be read"),
    ],
)
def test_what_is_lost_for_good_is_tried_three_times_and_then_counts_for_nobody(
    sandbox_launcher: object, bot: Bot, match: Match, spoil: Any, said: str
) -> None:
    spoil(archive_of(bot))
    endings = []
    for _ in range(3):
        due_again(match)
        endings.append(play(match.pk))
    assert endings == [Attempt.Ending.FAILED] * 3
    match.refresh_from_db()
    bot.refresh_from_db()
    assert match.status == "void"
    assert said in match.reason
    assert (bot.bad_in_a_row, bot.entries.get().games) == (0, 0)


def test_without_a_sandbox_that_has_proved_itself_uploaded_code_waits(
    bot: Bot, match: Match, site_processes: Processes, tmp_path: Path
) -> None:
    crippled = replace(site_processes, environment={**site_processes.environment, "ESR_BOT_PYTHON": "/nowhere/python3"})
    racers = [("playing", {"matches": [match.pk], "variety": 0})]
    process = crippled.python("-m", "tests.ladder.racing", json.dumps(racers), str(tmp_path))
    (tmp_path / "gate").touch()
    assert process.wait(60) == 0
    assert json.loads((tmp_path / "0.json").read_text()) == [None]
    match.refresh_from_db()
    assert (match.status, match.attempts_started) == ("queued", 0)


def test_a_version_without_an_archive_is_nobodys_code(sandbox_launcher: object, bot: Bot) -> None:
    version = bot.active_version
    assert version is not None
    version.archive = ""
    with pytest.raises(NotHere, match="is not installed here"):
        program_of(version)
