"""The house opens: its ladders, its bots and their entries are there. Doing it again changes only what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db import transaction
from django.db.models import Max

from bots.house.catalogue import HOUSE, HouseBot
from bots.models import Bot, BotVersion
from games.registry import GAMES
from ladder.joining import enter_everybody
from ladder.models import Entry, Ladder
from ladder.retiring import end_unplayable_matches
from ladder.seasons import open_first


def open_house() -> None:
    """Make a ladder for every game and number of seats, and enter every house bot that plays there.

    A house bot whose code has changed gets a new version. Matches still queued with code that is no longer installed
    are cancelled, since their seats are pinned. People's bots enter the ladders that are new. Safe to call at every
    start, and twice at once.
    """
    ladders = list(_house_ladders())
    for ladder in Ladder.objects.order_by("pk"):
        open_first(ladder)
    for entry in HOUSE.values():
        bot = _bot(entry)
        _bring_up_to_date(bot, entry.digest())
        _enter(bot, [ladder for ladder in ladders if entry.plays(ladder.game, ladder.seats)])
    _retire_the_others()
    enter_everybody()
    end_unplayable_matches()


def _house_ladders() -> Iterator[Ladder]:
    for game in GAMES.values():
        for seats in game.seat_counts:
            alone = len(game.seat_counts) == 1
            yield Ladder.objects.get_or_create(
                slug=game.slug if alone else f"{game.slug}-{seats}",
                defaults={
                    "name": game.name if alone else f"{game.name}, {seats} players",
                    "game": game.slug,
                    "seats": seats,
                },
            )[0]


def _bot(entry: HouseBot) -> Bot:
    words = {"name": entry.title, "description": entry.description}
    return Bot.objects.update_or_create(
        house_name=entry.name, defaults=words, create_defaults={**words, "slug": f"house-{entry.name}"}
    )[0]


def _bring_up_to_date(bot: Bot, digest: str) -> None:
    """Make the version with ``digest`` the active one, appending it if it is new."""
    with transaction.atomic():
        Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)
        if bot.versions.filter(digest=digest, active=True).exists():
            return
        last = bot.versions.aggregate(last=Max("number"))["last"] or 0
        version = bot.versions.get_or_create(digest=digest, defaults={"number": last + 1})[0]
        bot.versions.filter(active=True).update(active=False)
        bot.versions.filter(pk=version.pk).update(active=True)


def _enter(bot: Bot, ladders: Iterable[Ladder]) -> None:
    for ladder in ladders:
        Entry.objects.get_or_create(ladder=ladder, bot=bot)


def _retire_the_others() -> None:
    """House bots that the catalogue no longer has keep their ratings and get no more matches."""
    gone = Bot.objects.filter(owner=None).exclude(house_name__in=HOUSE)
    BotVersion.objects.filter(bot__in=gone, active=True).update(active=False)
