"""The house opens: its ladders, its bots and their entries are there. Doing it again changes only what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from django.db import transaction
from django.db.models import Max

from bots.house.catalogue import HOUSE, HouseBot
from bots.models import Bot, BotVersion
from games.registry import GAMES
from ladder.joining import enter_everybody
from ladder.models import Entry, Ladder
from ladder.persons import PEOPLE_LIMITS
from ladder.retiring import end_unplayable_matches
from ladder.seasons import open_first

LIVE_LIMITS: Final = {"move_ms": 5000, "bank_ms": 60_000, "game_ms": 600_000}
"""What a seat of a live game may use up, where that differs from a hosted game's: networks are in between."""

_WHO: Final[Mapping[Ladder.Players, tuple[str, str]]] = {
    Ladder.Players.HOSTED: ("", ""),
    Ladder.Players.REMOTE: ("-remote", ", remote bots"),
    Ladder.Players.OPEN: ("-open", ", open to all"),
    Ladder.Players.PEOPLE: ("-people", ", people"),
}
"""By who plays there: what a ladder's address and its name end with."""

LIMITS: Final[Mapping[Ladder.Players, Mapping[str, int]]] = {
    Ladder.Players.HOSTED: {},
    Ladder.Players.REMOTE: LIVE_LIMITS,
    Ladder.Players.OPEN: LIVE_LIMITS,
    Ladder.Players.PEOPLE: PEOPLE_LIMITS,
}
"""What a seat of a ladder may use up, by who plays there, where that differs from the usual."""


def open_house() -> None:
    """Make the ladders for every game and number of seats, and enter every house bot that plays there.

    A house bot whose code has changed gets a new version. Matches still queued with code that is no longer installed
    are cancelled, since their seats are pinned. People's bots enter the ladders that are new. Safe to call at every
    start, and twice at once.
    """
    ladders = list(_house_ladders())
    for ladder in Ladder.objects.filter(seasons=None).order_by("pk"):
        open_first(ladder)
    for entry in HOUSE.values():
        bot = _bot(entry)
        _bring_up_to_date(bot, entry.digest())
        _enter(bot, [ladder for ladder in ladders if _sits(entry, ladder)])
    _retire_the_others()
    enter_everybody()
    end_unplayable_matches()


def _house_ladders() -> Iterator[Ladder]:
    """For every table a ladder of blocks; then one of live games each for remote bots, for everybody and for people."""
    for players, (suffix, words) in _WHO.items():
        for game in GAMES.values():
            for seats in game.seat_counts:
                alone = len(game.seat_counts) == 1
                yield Ladder.objects.get_or_create(
                    slug=(game.slug if alone else f"{game.slug}-{seats}") + suffix,
                    defaults={
                        "name": (game.name if alone else f"{game.name}, {seats} players") + words,
                        "players": players,
                        "game": game.slug,
                        "seats": seats,
                        "limits": LIMITS[players],
                    },
                )[0]


def _sits(bot: HouseBot, ladder: Ladder) -> bool:
    return ladder.for_house and bot.plays(ladder.game, ladder.seats)


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
    known = set(Entry.objects.filter(bot=bot).values_list("ladder", flat=True))
    missing = [Entry(ladder=ladder, bot=bot) for ladder in ladders if ladder.pk not in known]
    Entry.objects.bulk_create(missing, ignore_conflicts=True)


def _retire_the_others() -> None:
    """House bots that the catalogue no longer has keep their ratings and get no more matches. Guests are no bots."""
    gone = Bot.objects.of_code().filter(owner=None).exclude(house_name__in=HOUSE)
    BotVersion.objects.filter(bot__in=gone, active=True).update(active=False)
