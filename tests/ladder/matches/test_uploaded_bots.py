"""What it takes that somebody's code sits at a rated table: a proved sandbox, and the bytes as they came."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.base import ContentFile

from bots import programs
from bots.models import Bot, BotVersion
from bots.owners import make_active
from bots.programs import NotHere, program_of
from bots.runner.spec import StoredProgram
from bots.sandbox import SelfTest
from bots.uploads.storage import uploads
from bots.uploads.upload import upload_new_bot, upload_version
from ladder.matches.assignments import spec_of
from ladder.matches.leases import MOST_FAILURES
from ladder.matches.pauses import resume
from ladder.matches.play import play, program_here
from ladder.matches.schedule import fill
from ladder.members.memberships import enter
from ladder.models import Attempt, Ladder, Match
from tests.bots.uploads.brought import Gone, zipped
from tests.build import DUEL, DUEL_ONLY, HONEST, due_again, match_of, new_version, person
from tests.services.races import RaceServer
from tests.services.workers import Processes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("house")]


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
    program = spec_of(match, program_here).seats[0].program
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
    spec_of(match, program_here)
    cut_off(settings)
    assert play(match.pk) == Attempt.Ending.FINISHED


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: uploads().delete(path), "is missing from the storage"),
        (lambda path: uploads().save(path, ContentFile(b"print('somebody else')")), "differs from the upload"),
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
    assert (bot.bad_in_a_row, bot.memberships.get().games) == (0, 0)


@pytest.mark.parametrize("file", [("bot.py", HONEST), ("packed.zip", zipped(bot__py=HONEST))])
def test_a_bot_whose_code_is_lost_goes_on_leave_by_our_fault_until_it_is_uploaded_again(
    sandbox_launcher: object, file: tuple[str, bytes]
) -> None:
    version = upload_new_bot(person("eve"), "Lost", "bot.py", HONEST, DUEL_ONLY)
    BotVersion.objects.filter(pk=version.pk).update(state="ready")
    make_active(version)
    bot, ladder = version.bot, Ladder.objects.get(slug=DUEL)
    enter(bot)
    match, waiting = match_of(bot, ladder), match_of(bot, ladder, 1)
    uploads().delete(version.archive)
    void(match)
    bot.refresh_from_db()
    waiting.refresh_from_db()
    assert bot.pause_reason == (
        "The stored code of v1 was lost because of an error on the site."
        " Upload the same file or a new version, then resume the bot."
    )
    assert (bot.bad_in_a_row, waiting.status, fill_for(bot)) == (0, "cancelled", 0)
    assert upload_version(bot, *file, DUEL_ONLY) == version
    resume(bot)
    assert play(match_of(bot, ladder, 2).pk) == Attempt.Ending.FINISHED


def fill_for(bot: Bot) -> int:
    """How many matches of ``bot`` wait once the queues are filled."""
    fill()
    return Match.objects.filter(status="queued", seats__membership__bot=bot).count()


def test_lost_code_that_another_version_has_replaced_puts_nobody_on_leave(
    sandbox_launcher: object, bot: Bot, match: Match
) -> None:
    uploads().delete(archive_of(bot))
    make_active(new_version(bot))
    void(match)
    bot.refresh_from_db()
    assert bot.plays


def void(match: Match) -> None:
    """Try a match in vain until it is given up."""
    for _ in range(MOST_FAILURES):
        due_again(match)
        assert play(match.pk) == Attempt.Ending.FAILED
    match.refresh_from_db()
    assert match.status == "void"


@pytest.mark.locks
def test_without_a_sandbox_that_has_proved_itself_uploaded_code_waits(
    bot: Bot, match: Match, site_processes: Processes, tmp_path: Path
) -> None:
    crippled = replace(site_processes, environment={**site_processes.environment, "ESR_BOT_PYTHON": "/nowhere/python3"})
    race = RaceServer(crippled).race_of("tests.ladder.races", tmp_path)
    assert race(("playing", {"matches": [match.pk], "variety": 0})) == [[None]]
    match.refresh_from_db()
    assert (match.status, match.attempts_started) == ("queued", 0)


def test_where_the_files_of_bots_lie_on_a_disk_an_uploaded_bot_plays_no_rated_match(
    sandbox_launcher: object, bot: Bot, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    unrated = SelfTest(ok=True, rated=False, problem="Files lie on a disk.")
    monkeypatch.setattr(programs, "current_test", lambda: unrated)
    version = bot.active_version
    assert version is not None
    with pytest.raises(NotHere, match=r"can only play unrated games on this machine: Files lie on a disk\."):
        program_of(version, rated=True)
    assert isinstance(program_of(version), StoredProgram)
    assert play(match.pk) is None
    match.refresh_from_db()
    assert (match.status, match.attempts_started) == ("queued", 0)
    monkeypatch.undo()
    assert play(match.pk) == Attempt.Ending.FINISHED


def test_a_version_without_an_archive_is_nobodys_code(sandbox_launcher: object, bot: Bot) -> None:
    version = bot.active_version
    assert version is not None
    version.archive = ""
    with pytest.raises(NotHere, match="is not installed on this machine"):
        program_of(version)
