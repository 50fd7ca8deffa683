"""The processes of a race about uploads, run as those of ``tests.ladder.racing`` are, with actions of their own."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import django

django.setup()

from bots.checking import check_next  # noqa: E402
from bots.models import Bot  # noqa: E402
from bots.protocol import Limits  # noqa: E402
from bots.runner import Process, Program  # noqa: E402
from bots.sandbox import launcher_for_uploads  # noqa: E402
from bots.uploading import Refused, upload_new_bot, upload_version  # noqa: E402
from bots.waiting import claim_next  # noqa: E402
from esr_platform.accounts.models import User  # noqa: E402
from tests.bots.uploads.brought import DUEL_ONLY, honest  # noqa: E402
from tests.ladder import racing  # noqa: E402
from tests.ladder.racing import Act  # noqa: E402


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
    its = Bot.objects.get(pk=bot)
    return lambda: [upload_version(its, "bot.py", honest(code), DUEL_ONLY).number for code in codes]


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


racing.ACTIONS.update(
    uploading_new=uploading_new,
    uploading_versions=uploading_versions,
    taking_up=taking_up,
    checking_uploads=checking_uploads,
    dying_in_a_check=dying_in_a_check,
)

if __name__ == "__main__":
    racing.main(*sys.argv[1:])
