"""Actions for races on uploads. ``tests.services.races`` runs them."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.test import override_settings

from bots.models import Bot
from bots.protocol import Limits
from bots.runner import Process, Program
from bots.sandbox import launcher_for_uploads
from bots.uploads.queue import claim_next
from bots.uploads.storage import WholeFileStorage
from bots.uploads.upload import upload_new_bot, upload_version
from bots.worker.host import HostProcess
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.validations import validate_next
from tests.bots.uploads.brought import DUEL_ONLY, honest
from tests.ladder import races
from tests.ladder.hosts import SITE, asked, client_of
from tests.services.races import Act, Actions


class FatalStorage(WholeFileStorage):
    """A storage whose process is killed right after it has stored a file."""

    def _save(self, name: str, content: File[bytes]) -> str:
        super()._save(name, content)
        os.kill(os.getpid(), signal.SIGKILL)
        return name


class Deadly:
    """A launcher whose worker is killed at the start of the table number ``table``, from 0, of games for two."""

    def __init__(self, table: int) -> None:
        self.left = 2 * table

    def start(self, program: Program, limits: Limits) -> Process:
        self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        launcher = launcher_for_uploads()
        assert launcher is not None
        return launcher.start(program, limits)


def uploading_new(owner: int, names: list[str]) -> Act:
    """A new bot for every name, each with another code; what became of each."""
    user = User.objects.get(pk=owner)

    def bring(name: str, number: int) -> Any:
        try:
            return upload_new_bot(user, name, "bot.py", honest(number), DUEL_ONLY).pk
        except Refused as refusal:
            return str(refusal)

    return lambda: [bring(name, number) for number, name in enumerate(names)]


def dying_in_an_upload(owner: int) -> Act:
    """Upload a new bot, and be killed when its file is stored."""
    user = User.objects.get(pk=owner)
    fatal = {**settings.STORAGES["uploads"], "BACKEND": f"{__name__}.{FatalStorage.__name__}"}

    def act() -> None:
        with override_settings(STORAGES={**settings.STORAGES, "uploads": fatal}):
            upload_new_bot(user, "First", "bot.py", honest(0), DUEL_ONLY)

    return act


def uploading_versions(bot: int, codes: list[int]) -> Act:
    """A version of the bot for every number of a code; their numbers."""
    target = Bot.objects.get(pk=bot)
    return lambda: [upload_version(target, "bot.py", honest(code), DUEL_ONLY).number for code in codes]


def taking_up(host: str = "") -> Act:
    """Every check that is to be had, also for a ``host``; their versions."""
    if host:
        client = client_of(host)
        given = partial(asked, client, kinds=["validations"])
        return lambda: [int(assignment["lease"].split("/")[1]) for assignment in iter(given, None)]

    def act() -> list[int]:
        taken = []
        while lease := claim_next():
            taken.append(lease.pk)
        return taken

    return act


def checking_uploads(times: int, host: str = "") -> Act:
    """Go on with so many checks; the versions whose checks that ended, or for a ``host`` whether it played."""
    if host:
        process = HostProcess(
            client_of(host), SITE, Path(settings.VAR_DIR) / f"host-{os.getpid()}", kinds=["validations"]
        )
        return lambda: [process.play_next() for _ in range(times)]
    launcher_for_uploads()
    return lambda: [done.pk for done in (validate_next() for _ in range(times)) if done is not None]


def dying_in_a_check(table: int) -> Act:
    """Begin a check and be killed in the middle of it."""
    return lambda: validate_next(Deadly(table))


ACTIONS: Actions = {
    **races.ACTIONS,
    "uploading_new": uploading_new,
    "dying_in_an_upload": dying_in_an_upload,
    "uploading_versions": uploading_versions,
    "taking_up": taking_up,
    "checking_uploads": checking_uploads,
    "dying_in_a_check": dying_in_a_check,
}
