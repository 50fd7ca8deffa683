"""Uploaded bots on ladders, without the way there: versions that are ready because the test says so."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import F

from bots.archives import read_upload
from bots.models import Bot, BotVersion
from bots.owners import make_active
from bots.uploads.storage import keep
from bots.uploads.upload import archive_limits
from esr_platform.accounts.models import User
from ladder.matches.blocks import Player, schedule_block
from ladder.members.membership import enter
from ladder.models import Block, Ladder, Match
from tests.bots.uploads.brought import DUEL, DUEL_ONLY, HONEST

__all__ = ["DUEL", "DUEL_ONLY", "HONEST"]


def person(name: str) -> User:
    """Somebody who has bots."""
    return User.objects.create(username=name, email=f"{name}@example.org")


def staff(name: str) -> User:
    """Somebody who looks after the site."""
    user = person(name)
    User.objects.filter(pk=user.pk).update(is_staff=True)
    user.refresh_from_db()
    return user


def new_version(bot: Bot, source: bytes = HONEST, claims: Any = DUEL_ONLY) -> BotVersion:
    """A version of this source, ready and stored, but not yet the active one."""
    source = b"# %d\n%s" % (bot.versions.count() + 1, source)
    return BotVersion.objects.create(
        bot=bot,
        number=bot.versions.count() + 1,
        digest=read_upload("bot.py", source, archive_limits()).digest,
        archive=keep("bot.py", source),
        filename="bot.py",
        size=len(source),
        command=["bot.py"],
        claims=claims,
    )


def uploaded(owner: User, name: str = "Mine", source: bytes = HONEST, claims: Any = DUEL_ONLY) -> Bot:
    """A bot whose first version plays, on the ladders that it claims."""
    bot = Bot.objects.create(owner=owner, name=name, slug=sha256(name.encode()).hexdigest()[:20])
    make_active(new_version(bot, source, claims))
    enter(bot)
    return bot


def match_of(bot: Bot, ladder: Ladder, seed: int = 0) -> Match:
    """A queued match of ``bot``, at seat 0, with bots of the house."""
    mine = ladder.entries.get(bot=bot)
    others = list(ladder.entries.filter(bot__owner=None).select_related("bot").order_by("pk"))
    table = [mine, *Random(seed).sample(others, ladder.seats - 1)]
    return first_match(ladder, [Player(active_version(entry.bot), entry) for entry in table])


def first_match(ladder: Ladder, players: Sequence[Player]) -> Match:
    """The first match of a new rated block, in which these sit in this order."""
    return scheduled(ladder, players).matches.select_related("ladder", "block").get(seating=0)


def scheduled(ladder: Ladder, players: Sequence[Player], **options: Any) -> Block:
    """A new block, in which these sit in this order in the first game."""
    with transaction.atomic():
        return schedule_block(Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk), players, **options)


def active_version(bot: Bot) -> BotVersion:
    version = bot.active_version
    assert version is not None
    return version


def due_again(match: Match) -> None:
    """Take the pause between two attempts away."""
    Match.objects.filter(pk=match.pk).update(due_at=F("created"))
