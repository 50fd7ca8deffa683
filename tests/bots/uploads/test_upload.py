from __future__ import annotations

import random
import re
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage
from django.db.models import F
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bots import archives
from bots.models import Bot, BotVersion, Machine, Upload
from bots.uploads.storage import archive_of, bytes_of, uploads
from bots.uploads.upload import NotStored, upload_new_bot, upload_version
from esr_platform.accounts.errors import NameRefused, Refused, TooMany
from esr_platform.accounts.models import User
from games.registry import GAMES
from ladder.members.memberships import restore
from tests.bots.elf import program
from tests.bots.uploads.brought import DUEL, DUEL_ONLY, HONEST, FullDisk, Gone, honest, uploaded, zipped
from tests.refusals import refused

MANIFEST = f'name = "Named"\n[games]\n{DUEL} = [2]\n'


def stored_in(kind: type[FileSystemStorage], settings: Any) -> None:
    backend = f"{kind.__module__}.{kind.__qualname__}"
    settings.STORAGES = {**settings.STORAGES, "uploads": {**settings.STORAGES["uploads"], "BACKEND": backend}}


def nothing_is_there() -> bool:
    return not Bot.objects.exists() and not BotVersion.objects.exists()


def test_a_python_file_becomes_the_first_version_of_a_new_bot(ada: User) -> None:
    version = upload_new_bot(ada, "Erste Botin", "mine.py", HONEST)
    assert (version.number, version.state, version.active) == (1, "received", False)
    assert (version.bot.name, version.bot.slug, version.bot.owner) == ("Erste Botin", "erste-botin", ada)
    assert (version.language, version.command, version.filename, version.size) == (
        "python",
        ["bot.py"],
        "mine.py",
        len(HONEST),
    )
    assert Upload.objects.get().version == version


def test_a_python_file_claims_every_table_unless_its_uploader_chooses(ada: User) -> None:
    whole = upload_new_bot(ada, "Whole", "bot.py", HONEST)
    assert whole.formats == {game.slug: list(game.seat_counts) for game in GAMES.values()}
    assert uploaded(ada, "Half").formats == {DUEL: [2]}


def test_a_choice_goes_before_what_the_manifest_says(ada: User) -> None:
    data = zipped(bot__py=HONEST, bot__toml=MANIFEST)
    assert upload_new_bot(ada, "", "a.zip", data).formats == {DUEL: [2]}
    chosen = upload_new_bot(ada, "Other", "a.zip", data, {"edel-stein-reich": [5, 3]})
    assert chosen.formats == {"edel-stein-reich": [3, 5]}


def test_a_bot_without_a_name_is_called_what_its_manifest_says(ada: User) -> None:
    assert upload_new_bot(ada, "", "a.zip", zipped(bot__py=HONEST, bot__toml=MANIFEST)).bot.name == "Named"


@pytest.mark.parametrize(
    ("games", "code"),
    [
        ({}, "no_format"),
        ({DUEL: []}, "no_format"),
        ({"chess": [2]}, "unknown_game"),
        ({"edel-stein-reich": [2]}, "unknown_format"),
        ({DUEL: [3]}, "unknown_format"),
    ],
)
def test_a_choice_of_tables_that_are_not_there_is_refused(ada: User, games: Any, code: str) -> None:
    with refused(code):
        uploaded(ada, games=games)
    assert nothing_is_there()


def test_the_bytes_are_stored_as_they_came_and_named_by_their_hash(ada: User) -> None:
    data = zipped(bot__py=HONEST)
    version = upload_new_bot(ada, "First", "../../etc/passwd.zip", data)
    digest = sha256(data).hexdigest()
    assert re.fullmatch(f"{digest[:2]}/{digest}-[0-9a-f]{{16}}[.]zip", version.archive)
    assert bytes_of(version) == data
    assert version.digest == archives.read_upload("bot.py", HONEST).digest == archive_of(version).digest


def test_hidden_files_are_neither_stored_nor_part_of_the_version_and_the_author_is_told(ada: User) -> None:
    version = upload_new_bot(ada, "First", "a.zip", zipped(bot__py=HONEST, __env="KEY=1"))
    assert version.digest == archives.read_upload("bot.py", HONEST).digest
    assert archives.read_upload("a.zip", bytes_of(version), archives.ArchiveLimits(hidden=True)).files == {
        "bot.py": HONEST
    }
    (notice,) = version.notices
    assert notice["code"] == "hidden_files"
    assert ".env" in notice["text"]
    assert upload_version(version.bot, "bot.py", HONEST) == version


def test_a_version_that_was_stored_with_hidden_files_keeps_its_digest(ada: User) -> None:
    data = zipped(bot__py=HONEST, __env="KEY=1")
    version = upload_new_bot(ada, "First", "a.zip", zipped(bot__py=HONEST))
    whole = archives.read_upload("a.zip", data, archives.ArchiveLimits(hidden=True))
    version.digest, version.archive = whole.digest, uploads().save("ab/cd.zip", ContentFile(data))
    version.save()
    assert set(archive_of(version).files) == {"bot.py", ".env"}


def test_an_executable_is_refused_for_a_library_that_a_machine_does_not_have(ada: User) -> None:
    manifest = 'language = "executable"\ncommand = ["bot"]\n'
    data = zipped(bot=program(needed=("libgmp.so.10",)), bot__toml=manifest)
    with refused("library_missing"):
        upload_new_bot(ada, "First", "a.zip", data)
    Machine.objects.create(host="a", sandbox={"ok": True, "libraries": ["libgmp.so.10"]})
    version = upload_new_bot(ada, "First", "a.zip", data)
    assert archive_of(version).digest == version.digest


def test_a_bot_is_refused_in_a_language_that_a_machine_does_not_have(ada: User) -> None:
    data = zipped(bot__js="1;", bot__toml='language = "javascript"\n')
    with refused("language_missing"):
        upload_new_bot(ada, "First", "a.zip", data)
    Machine.objects.create(host="a", sandbox={"ok": True, "languages": {"python": "3.11", "javascript": "20.1"}})
    assert upload_new_bot(ada, "First", "a.zip", data).language == "javascript"
    Machine.objects.create(host="b", sandbox={"ok": True, "languages": {"python": "3.11"}})
    with refused("language_missing"):
        upload_new_bot(ada, "Second", "b.zip", zipped(bot__js="2;", bot__toml='language = "javascript"\n'))


def test_only_an_executable_may_be_as_large_as_a_runtime(ada: User, settings: Any) -> None:
    settings.MAX_ARCHIVE_BYTES = settings.MAX_UNPACKED_BYTES = 4096
    large = program(also=random.Random(1).randbytes(10_000))
    manifest = 'language = "executable"\n'
    assert upload_new_bot(ada, "First", "a.zip", zipped(bot=large, bot__toml=manifest)).language == "executable"
    with refused("file_too_large"):
        upload_new_bot(ada, "Second", "b.zip", zipped(bot__py=HONEST, weights=large))
    settings.MAX_EXECUTABLE_ARCHIVE_BYTES = 8192
    with refused("upload_too_large"):
        upload_new_bot(ada, "Third", "c.zip", zipped(bot=large + b"1", bot__toml=manifest))
    settings.MAX_EXECUTABLE_ARCHIVE_BYTES, settings.MAX_EXECUTABLE_UNPACKED_BYTES = 1 << 20, 8192
    with refused("file_too_large"):
        upload_new_bot(ada, "Third", "c.zip", zipped(bot=large + b"1", bot__toml=manifest))


def test_the_same_contents_again_are_the_same_version_however_they_are_packed(ada: User) -> None:
    first = uploaded(ada)
    assert upload_version(first.bot, "bot.py", HONEST, DUEL_ONLY) == first
    assert upload_version(first.bot, "packed.zip", zipped(bot__py=HONEST), DUEL_ONLY) == first
    second = upload_version(first.bot, "bot.py", honest(2), DUEL_ONLY)
    assert second.number == 2
    assert upload_version(first.bot, "bot.py", HONEST, DUEL_ONLY) == first
    assert first.bot.versions.count() == 2


@pytest.mark.parametrize("state", ["received", "ready", "refused"])
def test_the_same_contents_packed_anew_take_no_room_in_the_storage(
    ada: User, settings: Any, tmp_path: Path, state: str
) -> None:
    options = {**settings.STORAGES["uploads"]["OPTIONS"], "location": str(tmp_path)}
    settings.STORAGES = {**settings.STORAGES, "uploads": {**settings.STORAGES["uploads"], "OPTIONS": options}}
    first = uploaded(ada)
    reason = "It did not start." if state == "refused" else ""
    BotVersion.objects.filter(pk=first.pk).update(state=state, reason=reason)
    for number in range(3):
        packed = zipped(bot__py=HONEST, __DS_Store=str(number) * 1000)
        assert upload_version(first.bot, "packed.zip", packed, DUEL_ONLY) == first
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1
    assert archive_of(BotVersion.objects.get(pk=first.pk)).files == {"bot.py": HONEST}


def test_the_same_contents_for_other_tables_are_another_version(ada: User) -> None:
    first = uploaded(ada)
    second = upload_version(first.bot, "bot.py", HONEST, {"edel-stein-reich": [3]})
    everything = upload_version(first.bot, "bot.py", HONEST)
    chosen = upload_version(first.bot, "bot.py", HONEST, {game.slug: game.seat_counts for game in GAMES.values()})
    assert [first.number, second.number, everything.number] == [1, 2, 3]
    assert chosen == everything


def test_a_new_bot_that_is_sent_twice_is_one_bot(ada: User) -> None:
    assert uploaded(ada) == uploaded(ada, " first ")
    assert Bot.objects.count() == 1


def test_two_bots_of_one_person_are_not_called_the_same(ada: User, bob: User) -> None:
    uploaded(ada)
    with refused("name_taken", NameRefused):
        uploaded(ada, "FIRST", honest(2))
    assert uploaded(bob).bot.slug == "first-2"


def test_a_refused_version_that_comes_again_waits_for_another_check(ada: User) -> None:
    version = uploaded(ada)
    BotVersion.objects.update(state="refused", reason="It was late.", validation_report={}, vain_starts=2)
    again = upload_version(version.bot, "bot.py", HONEST, DUEL_ONLY)
    assert (again.pk, again.state, again.reason) == (version.pk, "received", "")
    assert (again.validation_report, again.vain_starts) == (None, 0)


@pytest.mark.parametrize("state", BotVersion.State)
def test_a_version_that_was_lost_is_there_again_once_it_is_sent_again_however_it_is_packed(
    ada: User, state: str
) -> None:
    version = uploaded(ada)
    not_passed = state in ("refused", "undecided")
    retry_at = timezone.now() if state == "undecided" else None
    reason = "It was late." if not_passed else ""
    BotVersion.objects.filter(pk=version.pk).update(state=state, reason=reason, retry_at=retry_at)
    uploads().delete(version.archive)
    again = upload_version(version.bot, "a.zip", zipped(bot__py=HONEST), DUEL_ONLY)
    assert (again.pk, again.state) == (version.pk, "received" if not_passed else state)
    assert archive_of(again).digest == version.digest


def test_a_ready_version_that_comes_again_stays_ready(ada: User) -> None:
    version = uploaded(ada)
    BotVersion.objects.update(state="ready", active=True)
    assert upload_version(version.bot, "bot.py", HONEST, DUEL_ONLY).state == "ready"


REFUSED: dict[str, tuple[str, str, bytes]] = {
    "a script of another kind": ("First", "bot.sh", b"#!/bin/sh\n"),
    "an empty file": ("First", "bot.py", b""),
    "an archive without a bot": ("First", "bot.zip", zipped(readme__txt="hello")),
    "a manifest that is none": ("First", "bot.zip", zipped(bot__py=HONEST, bot__toml="name = 1")),
    "a name too long": ("x" * 41, "bot.py", HONEST),
    "a name that cannot be seen": ("\u200b", "bot.py", HONEST),
    "a name that turns the line around": ("abc\u202etxt", "bot.py", HONEST),
    "a tower of marks": ("Z\u0351\u0352\u0353\u0354algo", "bot.py", HONEST),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refused_upload_leaves_no_bot_and_no_version_but_says_why(ada: User, what: str) -> None:
    with pytest.raises(Refused) as refusal:
        upload_new_bot(ada, *REFUSED[what])
    assert nothing_is_there()
    assert Upload.objects.get().refusal == str(refusal.value) != ""


@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(max_size=50),
    st.sampled_from(["bot.py", "bot.zip", "", "\0.zip"]),
    st.binary(max_size=40) | st.sampled_from([HONEST, zipped(bot__py=HONEST), zipped(bot__py=HONEST)[:-1]]),
)
def test_whatever_is_brought_is_one_version_or_nothing(ada: User, name: str, filename: str, data: bytes) -> None:
    for kind in (Upload, BotVersion, Bot):
        kind.objects.all().delete()
    try:
        upload_new_bot(ada, name, filename, data)
    except Refused:
        assert nothing_is_there()
        assert Upload.objects.get().refusal
    else:
        assert Bot.objects.count() == BotVersion.objects.count() == 1


def test_a_house_bot_takes_no_uploads_and_its_name_is_its_own(ada: User) -> None:
    house = Bot.objects.create(slug="house-greedy", name="Greedy", house_name="greedy")
    with refused("house_bot"):
        upload_version(house, "bot.py", HONEST)
    with refused("name_of_house_bot", NameRefused):
        uploaded(ada, "GREEDY")


def test_a_retired_bot_takes_no_uploads(ada: User) -> None:
    bot = uploaded(ada).bot
    Bot.objects.update(retired=F("created"))
    with refused("retired"):
        upload_version(bot, "bot.py", honest(2))
    assert bot.versions.count() == 1


def test_uploads_within_an_hour_are_counted_refused_ones_too(ada: User, bob: User, settings: Any) -> None:
    settings.MAX_UPLOADS_PER_HOUR = 2
    with pytest.raises(Refused):
        uploaded(ada, data=b"")
    uploaded(ada)
    with refused("uploads_per_hour", TooMany) as refusal:
        uploaded(ada, "Second", honest(2))
    assert isinstance(refusal.value, TooMany)
    assert 3000 <= (refusal.value.retry_after_s or 0) <= 3700  # 3600, less the time since the first upload
    uploaded(bob)
    Upload.objects.filter(owner=ada).update(created=F("created") - timedelta(hours=1))
    uploaded(ada, "Second", honest(2))


def test_a_person_has_so_many_bots_and_retired_ones_do_not_count(ada: User, settings: Any) -> None:
    settings.MAX_BOTS_PER_USER = 1
    uploaded(ada)
    with refused("bots_per_user", TooMany):
        uploaded(ada, "Second", honest(2))
    Bot.objects.update(retired=F("created"))
    uploaded(ada, "Second", honest(2))


def test_retiring_makes_no_room_for_bots_without_end(ada: User, bob: User, settings: Any) -> None:
    settings.MAX_BOTS_PER_USER, settings.MAX_BOTS_EVER_PER_USER = 1, 2
    first = uploaded(ada).bot
    Bot.objects.update(retired=F("created"))
    uploaded(ada, "Second", honest(2))
    Bot.objects.update(retired=F("created"))
    with refused("bots_ever", TooMany):
        uploaded(ada, "Third", honest(3))
    uploaded(bob)
    restore(first)
    upload_version(first, "bot.py", honest(4))
    assert Bot.objects.filter(owner=ada).count() == 2


def test_so_many_checks_of_a_person_wait_and_no_more(ada: User, bob: User, settings: Any) -> None:
    settings.MAX_QUEUED_VALIDATIONS_PER_USER = 2
    bot = uploaded(ada).bot
    upload_version(bot, "bot.py", honest(2))
    with refused("queued_validations", TooMany):
        upload_version(bot, "bot.py", honest(3))
    uploaded(bob)
    BotVersion.objects.filter(number=1).update(state="ready")
    upload_version(bot, "bot.py", honest(3))


def test_a_repeated_upload_needs_no_room_in_the_queue_or_in_the_storage(ada: User, settings: Any) -> None:
    settings.MAX_QUEUED_VALIDATIONS_PER_USER, settings.MAX_UPLOADED_BYTES_PER_USER = 1, len(HONEST)
    version = uploaded(ada)
    assert uploaded(ada) == version
    assert upload_version(version.bot, "a.zip", zipped(bot__py=HONEST), DUEL_ONLY) == version


def test_all_that_a_person_keeps_is_bounded(ada: User, settings: Any) -> None:
    settings.MAX_UPLOADED_BYTES_PER_USER = 3 * len(HONEST)
    bot = uploaded(ada).bot
    upload_version(bot, "bot.py", honest(2))
    with refused("uploaded_bytes", TooMany):
        upload_version(bot, "bot.py", honest(3))


def test_what_is_too_large_by_the_settings_is_refused(ada: User, settings: Any) -> None:
    settings.MAX_ARCHIVE_BYTES = 10
    with refused("upload_too_large"):
        uploaded(ada)


@pytest.mark.parametrize("kind", [FullDisk, Gone])
def test_a_storage_that_fails_is_said_to_be_our_fault_and_loses_nothing(
    ada: User, settings: Any, kind: type[FileSystemStorage]
) -> None:
    first = uploaded(ada)
    working = settings.STORAGES
    stored_in(kind, settings)
    for bring in (
        lambda: upload_new_bot(ada, "Second", "bot.py", honest(1002)),
        lambda: upload_version(first.bot, "bot.py", honest(1003)),
    ):
        with pytest.raises(NotStored):
            bring()
    assert list(BotVersion.objects.all()) == [first]
    settings.STORAGES = working
    assert archive_of(first).digest == first.digest
    assert upload_version(first.bot, "bot.py", honest(1003)).number == 2


def test_half_a_file_that_a_crash_has_left_is_written_again(ada: User) -> None:
    data = honest(77)
    path = f"{sha256(data).hexdigest()[:2]}/{sha256(data).hexdigest()}.py"
    place = Path(uploads().path(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data[:10])
    assert archive_of(uploaded(ada, data=data)).files["bot.py"] == data


def test_a_write_that_fails_in_the_middle_leaves_what_was_there(ada: User) -> None:
    class Torn(ContentFile):
        def chunks(self, chunk_size: int | None = None) -> Any:
            yield b"half"
            raise OSError(28, "No space left on device")

    storage = uploads()
    storage.save("aa/whole.py", ContentFile(b"whole"))
    with pytest.raises(OSError, match="No space left"):
        storage.save("aa/whole.py", Torn(b""))
    assert Path(storage.path("aa/whole.py")).read_bytes() == b"whole"
    assert [path.name for path in Path(storage.path("aa")).iterdir() if ".part" in path.name] == []
