"""Actions for races on uploads. ``tests.services.races`` runs them."""

from __future__ import annotations

import os
import signal
from typing import Any

from bots.models import Bot
from bots.protocol import Limits
from bots.runner import Process, Program
from bots.sandbox import launcher_for_uploads
from bots.uploads.queue import check_next, claim_next
from bots.uploads.upload import Refused, upload_new_bot, upload_version
from esr_platform.accounts.models import User
from tests.bots.uploads.brought import DUEL_ONLY, honest
from tests.ladder import races
from tests.services.races import Act, Actions


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


def uploading_versions(bot: int, codes: list[int]) -> Act:
    """A version of the bot for every number of a code; their numbers."""
    row = Bot.objects.get(pk=bot)
    return lambda: [upload_version(row, "bot.py", honest(code), DUEL_ONLY).number for code in codes]


def taking_up() -> Act:
    """Every check that is to be had; their versions."""

    def act() -> list[int]:
        taken = []
        while mine := claim_next():
            taken.append(mine.version_id)
        return taken

    return act


def checking_uploads(times: int) -> Act:
    """Go on with so many checks; the versions whose checks that ended."""
    launcher_for_uploads()
    return lambda: [done.pk for done in (check_next() for _ in range(times)) if done is not None]


def dying_in_a_check(table: int) -> Act:
    """Begin a check and be killed in the middle of it."""
    return lambda: check_next(Deadly(table))


ACTIONS: Actions = {
    **races.ACTIONS,
    "uploading_new": uploading_new,
    "uploading_versions": uploading_versions,
    "taking_up": taking_up,
    "checking_uploads": checking_uploads,
    "dying_in_a_check": dying_in_a_check,
}
