from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from bots.models import BotVersion
from bots.uploads import storage
from bots.uploads.storage import WholeFileStorage, archive_of, bytes_of, discard, forget_orphans, keep
from esr_platform.accounts.errors import NameRefused, TooMany
from esr_platform.accounts.models import User
from tests.bots.uploads.brought import HONEST, Gone, honest, uploaded
from tests.refusals import refused


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    """An empty storage on a disk."""
    options = {**settings.STORAGES["uploads"]["OPTIONS"], "location": str(tmp_path)}
    settings.STORAGES = {**settings.STORAGES, "uploads": {**settings.STORAGES["uploads"], "OPTIONS": options}}
    return tmp_path


def stored(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def age(folder: Path, hours: float = 25) -> None:
    """Let everything that is stored be so old."""
    for path in folder.rglob("*"):
        os.utime(path, (time.time() - 3600 * hours,) * 2)


def test_what_no_version_names_goes_after_a_day_and_what_one_names_stays(ada: User, folder: Path) -> None:
    version = uploaded(ada)
    orphan = keep("bot.py", honest(2)).path
    (folder / f"{orphan}.0123.part").write_bytes(b"half of it")
    age(folder, 23)
    assert forget_orphans() == 0
    age(folder)
    fresh = keep("bot.py", honest(3)).path
    assert forget_orphans() == 2
    assert stored(folder) == {version.archive, fresh}
    assert archive_of(version).files == {"bot.py": HONEST}
    assert forget_orphans() == 0


def test_where_nobody_has_uploaded_yet_there_is_nothing_to_do(db: None, folder: Path) -> None:
    folder.rmdir()
    assert forget_orphans() == 0


def test_a_refused_upload_leaves_no_file(ada: User, folder: Path, settings: Any) -> None:
    settings.MAX_QUEUED_VALIDATIONS_PER_USER = 1
    first = uploaded(ada)
    with refused("queued_validations", TooMany):
        uploaded(ada, "Second", honest(2))
    with refused("name_taken", NameRefused):
        uploaded(ada, "First", honest(3))
    assert stored(folder) == {first.archive}


def test_a_refused_upload_keeps_the_file_of_another_version(ada: User, bob: User, folder: Path, settings: Any) -> None:
    settings.MAX_QUEUED_VALIDATIONS_PER_USER = 1
    first = uploaded(ada)
    uploaded(bob, data=honest(2))
    with refused("queued_validations", TooMany):
        uploaded(bob, "Second", HONEST)
    assert first.archive in stored(folder)
    assert bytes_of(first) == HONEST


def test_a_refused_upload_keeps_a_file_that_another_upload_may_be_about_to_name(ada: User, folder: Path) -> None:
    version = uploaded(ada)
    shared = keep("bot.py", HONEST)
    BotVersion.objects.filter(pk=version.pk).update(archive="elsewhere.py")
    discard(shared)
    assert shared.path in stored(folder)


def test_a_file_that_a_refused_upload_could_not_delete_is_deleted_after_a_day(
    ada: User, folder: Path, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    class Undeletable(WholeFileStorage):
        def delete(self, name: str) -> None:
            raise PermissionError(13, "Permission denied")

    settings.MAX_QUEUED_VALIDATIONS_PER_USER = 1
    first, working = uploaded(ada), settings.STORAGES
    through(Undeletable, settings)
    with refused("queued_validations", TooMany):
        uploaded(ada, "Second", honest(2))
    assert "Permission denied" in caplog.text
    settings.STORAGES = working
    age(folder)
    assert forget_orphans() == 1
    assert stored(folder) == {first.archive}


def through(kind: type, settings: Any) -> None:
    """Use another kind of storage at the same place."""
    globals()[kind.__name__] = kind
    backend = f"{__name__}.{kind.__name__}"
    settings.STORAGES = {**settings.STORAGES, "uploads": {**settings.STORAGES["uploads"], "BACKEND": backend}}


@pytest.mark.parametrize("moment", ["listdir", "get_modified_time", "delete"])
def test_the_bytes_of_an_orphan_uploaded_at_this_very_moment_are_not_taken(
    ada: User, folder: Path, settings: Any, moment: str
) -> None:
    class Interrupted(WholeFileStorage):
        """An upload of the same bytes comes in from start to end just before one step of the task."""

    def interrupt(self: Any, *words: Any) -> Any:
        if not BotVersion.objects.exists():
            uploaded(ada)
        return getattr(WholeFileStorage, moment)(self, *words)

    setattr(Interrupted, moment, interrupt)
    orphan = keep("bot.py", HONEST).path
    age(folder)
    through(Interrupted, settings)
    assert forget_orphans() == 1
    version = BotVersion.objects.get()
    assert stored(folder) == {version.archive} != {orphan}
    assert bytes_of(version) == HONEST


def test_bytes_that_were_kept_and_not_yet_recorded_are_not_taken(ada: User, folder: Path, settings: Any) -> None:
    class Between(WholeFileStorage):
        """The task runs from start to end between the writing of a file and its version's row."""

        def _save(self, name: str, content: Any) -> str:
            saved = super()._save(name, content)
            assert forget_orphans() == 1
            return saved

    keep("bot.py", HONEST)
    age(folder)
    through(Between, settings)
    assert bytes_of(uploaded(ada)) == HONEST


def test_the_same_bytes_of_two_versions_are_stored_once_and_stay(ada: User, bob: User, folder: Path) -> None:
    assert uploaded(ada).archive == uploaded(bob).archive
    age(folder)
    assert forget_orphans() == 0
    assert len(stored(folder)) == 1


def test_so_many_are_deleted_at_a_time_and_the_rest_later(
    db: None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "MOST_ORPHANS", 3)
    monkeypatch.setattr(storage, "PATHS_PER_QUERY", 2)
    for number in range(5):
        keep("bot.py", honest(number))
    age(folder)
    assert [forget_orphans(), forget_orphans(), forget_orphans()] == [3, 2, 0]


def test_a_storage_that_fails_loses_nothing_and_is_told_of(
    ada: User, folder: Path, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    version = uploaded(ada)
    through(Gone, settings)
    assert forget_orphans() == 0
    assert "ConnectionError: nobody answers" in caplog.text
    assert stored(folder) == {version.archive}
