"""Versions by the names that programs have for them: a bot's address name, and perhaps the number of a version."""

from __future__ import annotations

from collections.abc import Sequence

from bots.models import BotVersion
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.freezing import playing_versions
from ladder.models import Entry, Ladder
from ladder.orders.opponents import chosen


def versions_named(person: User, ladder: Ladder, names: Sequence[str]) -> list[int]:
    """The ids of the versions that ``names`` stand for, in that order, if ``person`` may choose each on ``ladder``.

    ``citrine`` is the version of Citrine that plays there, ``citrine/3`` its third. Raises ``Refused``, in the same
    words for what is not there and for what is not for everybody.
    """
    return [_named(person, ladder, name) for name in names]


def _named(person: User, ladder: Ladder, name: str) -> int:
    slug, _, number = name.partition("/")
    version = _numbered(slug, number) if number else _playing(ladder, slug)
    try:
        return chosen(person, ladder, [-1 if version is None else version.pk])[0].pk
    except Refused as refusal:
        raise Refused(
            f"{name} cannot be chosen at {ladder}. Name a ready version of yours (as in citrine/3), a house bot, or a"
            " bot that plays there."
        ) from refusal


def _numbered(slug: str, number: str) -> BotVersion | None:
    return BotVersion.objects.filter(bot__slug=slug, number=int(number)).only("pk").first()


def _playing(ladder: Ladder, slug: str) -> BotVersion | None:
    """The version that plays on ``ladder``, or would if the bot were there."""
    entry = Entry.objects.filter(ladder=ladder, bot__slug=slug).first()
    if entry is not None:
        return playing_versions([entry]).get(entry.bot_id)
    return BotVersion.objects.filter(bot__slug=slug, active=True).only("pk").first()
