"""Which bot of the house plays in the chair of a person who has gone."""

from __future__ import annotations

from typing import Final

from bots.house.catalogue import HOUSE
from bots.models import BotVersion
from bots.programs import plays
from ladder.models import Entry, Ladder

ENOUGH_GAMES: Final = 20
"""With fewer a rating says little."""

KNOWN_TO_BE_STRONG: Final = ("kontor", "sommelier")
"""Who plays best where no rating says so yet, by their names in the catalogue; then the others, simple ones last."""


class NoStandIn(LookupError):
    """No bot of the house can play at such a table here."""


def stand_in_for(game: str, seats: int) -> BotVersion:
    """The strongest bot of the house for a table of ``seats`` at ``game``, with its ``bot``. Raises ``NoStandIn``.

    By its rating on the house's ladder of hosted code for that table, and before there is one by what is known.
    """
    house = BotVersion.objects.filter(active=True, bot__owner=None, bot__house_name__in=HOUSE, bot__retired=None)
    able = [one for one in house.select_related("bot").defer("check_report") if plays(one, game, seats)]
    if not able:
        raise NoStandIn(f"no bot of the house plays {game} with {seats} seats here")
    ratings = _ratings(game, seats)
    return max(able, key=lambda one: (ratings.get(one.bot_id, 0), -_place(one.bot.house_name)))


def _ratings(game: str, seats: int) -> dict[int, int]:
    """By bot, on the ladders of hosted code that everybody may enter, the most played one's."""
    on = Entry.objects.filter(
        ladder__game=game,
        ladder__seats=seats,
        ladder__players=Ladder.Players.HOSTED,
        ladder__by_invitation=False,
        bot__owner=None,
        games__gte=ENOUGH_GAMES,
    )
    return dict(on.order_by("games").values_list("bot", "rating"))


def _place(name: str) -> int:
    """Before all others those that are known to be strong, then from the catalogue's last to its first."""
    names = list(HOUSE)
    return KNOWN_TO_BE_STRONG.index(name) if name in KNOWN_TO_BE_STRONG else 2 * len(names) - names.index(name)
