"""How many games a remote bot can still begin, and how many seats of live games may be hosted code's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from django.conf import settings

from bots import remote
from bots.models import RemoteBot
from ladder.models import Chair, Match, Seat


def free_games(bots: Collection[RemoteBot]) -> dict[int, int]:
    """By bot, how many games more it may begin; one query."""
    theirs = Seat.objects.filter(version__bot__in=[one.pk for one in bots], match__status=Match.Status.RUNNING)
    running = Counter(theirs.values_list("version__bot", flat=True))
    return {one.pk: max(0, one.games_at_once - running[one.pk]) for one in bots}


def held_free(bots: Collection[int]) -> set[int]:
    """Those of these remote bots that are here and can begin a game, their rows held until the transaction's end.

    Whoever opens a table asks here first, after the ladder's row is held: so of two tables that are opened at once, the
    second sees the first.
    """
    list(RemoteBot.objects.select_for_update(no_key=True).filter(pk__in=bots).order_by("pk").values_list("pk"))
    rows = list(remote.available().filter(pk__in=bots))
    return {bot for bot, free in free_games(rows).items() if free}


def hosted_room() -> int:
    """How many seats of live games may still be given to code that runs here: it is started anew for each decision."""
    asked = Chair.objects.filter(kind__in=Chair.ASKED_BY_WORKERS, forfeit="")
    seated = asked.filter(table__match__status=Match.Status.RUNNING)
    most: int = settings.LIVE_HOSTED_SEATS
    return max(0, most - seated.count())
