"""Quick pairing: find an opponent of a similar rating for a rated game.

A person has at most one search (``Pairing``), on one ladder. It ends when a game is found, when the person cancels it,
or when they are offline for a while. The row of the person is locked whenever their search is created, used or
deleted: a person who has canceled is not paired any longer.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from datetime import timedelta
from random import Random, SystemRandom
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots.models import Bot
from bots.owners import known_player
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import lock_user
from esr_platform.accounts.models import User
from esr_platform.disconnects import run_isolated
from ladder.ledger.entries import merged_on
from ladder.matches.playing_versions import frozen_ladders
from ladder.matchmaking.game_start import RATED, begin, ladder_paused, limits_of, no_season
from ladder.matchmaking.limits import hosted_room, lock_people, may_have_code, require_may_begin, require_place
from ladder.matchmaking.presence import note_here, tell_lobby
from ladder.matchmaking.proposals import keep_open
from ladder.members.memberships import hosted_for_ratings
from ladder.models import Ladder, Match, Membership, Pairing, Season
from ladder.pairings.candidates import Candidate
from ladder.pairings.people import FoundTable, PeopleLadder, Searcher, found_tables
from ladder.ratings.elo import START_RATING

logger = logging.getLogger(__name__)

HERE: Final = timedelta(seconds=15)
"""A person who was last seen longer ago than this is not paired."""

FORGOTTEN: Final = timedelta(seconds=60)
_NOTED: Final = timedelta(seconds=4)


def look_for(user: User, ladder: Ladder) -> Pairing:
    """Search a rated game on ``ladder`` for ``user``. This replaces a search on another ladder. Raises ``Refused``."""
    with transaction.atomic():
        player = _require_able(user, ladder)
        known = Pairing.objects.filter(bot=player).first()
        if known is not None and known.ladder_id == ladder.pk:
            Pairing.objects.filter(pk=known.pk).update(seen_at=Now())
        else:
            Pairing.objects.update_or_create(bot=player, defaults={"ladder": ladder, "since": Now(), "seen_at": Now()})
            tell_lobby()
        return Pairing.objects.select_related("ladder", "bot").get(bot=player)


def stop(user: User) -> bool:
    """Cancel the search of ``user``. Returns whether there was one. A game that was found before is not canceled."""
    with transaction.atomic():
        lock_user(user.pk)
        player = known_player(user)
        gone = Pairing.objects.filter(bot=player.bot_id).delete()[0] if player is not None else 0
        if gone:
            tell_lobby()
        return bool(gone)


def seen(people: Collection[int]) -> int:
    """Note that these people, by user id, are in the lobby, so that their searches and open games stay.

    Call it every few seconds. It writes only rows that would expire soon, and returns their number.
    """
    if not people:
        return 0
    stale = Pairing.objects.filter(bot__owner__in=people, seen_at__lt=Now() - _NOTED)
    written = keep_open(people)
    if stale.exists():
        with transaction.atomic():
            written += Pairing.objects.filter(pk__in=_free(stale)).update(seen_at=Now())
    note_here(people)
    return written


def forget() -> int:
    """Delete the searches of people who have been offline for ``FORGOTTEN``. Returns how many."""
    gone = Pairing.objects.filter(seen_at__lt=Now() - FORGOTTEN)
    if not gone.exists():
        return 0
    with transaction.atomic():
        ended: int = Pairing.objects.filter(pk__in=_free(gone)).delete()[0]
        if ended:
            tell_lobby()
        return ended


def pair(random: Random | None = None) -> int:
    """Start the games that can be found now. Returns how many. Safe to run concurrently.

    ``random`` is for the pairing, not for the deals.
    """
    rows = list(_looking())
    if not rows:
        return 0
    ladders = _ladders({row.ladder_id for row in rows})
    ratings = _ratings(rows)
    searchers = [
        Searcher(row.bot_id, row.bot.owner_id or 0, row.ladder_id, ratings.get(row.pk, START_RATING), _waited_s(row))
        for row in rows
    ]
    tables = found_tables(_shown(ladders.values()), searchers, hosted_room(), random or SystemRandom())
    return sum(_open(ladders[table.ladder], table) for table in tables)


def _require_able(user: User, ladder: Ladder) -> Bot:
    """The player of ``user``, whose row is locked from here on. Raises ``Refused`` if they cannot play there now."""
    player = require_place(user, ladder, rated=True)
    _require_games(player, ladder)
    require_may_begin(user, rated=True)
    return player


def _require_games(player: Bot, ladder: Ladder) -> None:
    """Raises ``Refused`` if no rated game of ``player`` can start on ``ladder``."""
    if ladder.paused:
        raise ladder_paused(ladder)
    if not Season.objects.filter(ladder=ladder, closing=None).exists():
        raise no_season(ladder)
    frozen = frozen_ladders().filter(pk=ladder.pk).exists()
    if frozen and not Membership.objects.filter(ladder=ladder, bot=player).exists():
        raise Refused(
            _("%(ladder)s is closed to new players: its deadline has passed. Choose another ladder.")
            % {"ladder": ladder},
            code="deadline_passed",
        )


def _free(searches: QuerySet[Pairing]) -> list[int]:
    """Lock those of ``searches`` that nobody else has locked and return their ids. Waiting could cause a deadlock."""
    rows = searches.select_for_update(skip_locked=True, no_key=True, of=("self",)).order_by("pk")
    return list(rows.values_list("pk", flat=True))


# --- Reading ---------------------------------------------------------------------------------------------------------


def _looking() -> Iterable[Any]:
    here = Pairing.objects.filter(seen_at__gt=Now() - HERE, ladder__open=True, ladder__paused=None)
    return here.select_related("bot").annotate(moment=Now()).order_by("pk")


def _waited_s(row: Any) -> float:
    return max(0.0, float((row.moment - row.since).total_seconds()))


def _ladders(ids: Collection[int]) -> dict[int, Ladder]:
    season_open = Season.objects.filter(closing=None).values("ladder")
    return {
        ladder.pk: ladder
        for ladder in Ladder.objects.filter(pk__in=ids, open=True, paused=None).filter(pk__in=season_open)
    }


def _ratings(rows: Collection[Pairing]) -> dict[int, int]:
    """By search, the rating of the person on that ladder, if they have one."""
    memberships = Membership.objects.filter(
        bot__in=[row.bot_id for row in rows], ladder__in={row.ladder_id for row in rows}
    )
    by_place = {(ladder, bot): rating for ladder, bot, rating in memberships.values_list("ladder", "bot", "rating")}
    places = ((row.pk, (row.ladder_id, row.bot_id)) for row in rows)
    return {pk: by_place[place] for pk, place in places if place in by_place}


def _shown(ladders: Iterable[Ladder]) -> list[PeopleLadder]:
    return [PeopleLadder(ladder.pk, ladder.seats, _hosted(ladder)) for ladder in ladders]


def _hosted(ladder: Ladder) -> list[Candidate]:
    """The hosted bots that fill the games of an open ladder."""
    if ladder.players != Ladder.Players.OPEN:
        return []
    standing = Membership.objects.filter(ladder=ladder, active=True, frozen=None, bot__in=hosted_for_ratings())
    merged = merged_on([ladder])
    rows = standing.order_by("pk").values_list("pk", "rating", "bot__owner")
    return [
        Candidate(membership, rating, owner=owner) for membership, rating, owner in rows if membership not in merged
    ]


# --- Starting --------------------------------------------------------------------------------------------------------


def _open(ladder: Ladder, table: FoundTable) -> bool:
    """Start a game, in its own transaction, if all its players are still searching and can play.

    A failure does not affect other games.
    """

    def opened() -> bool:
        try:
            with transaction.atomic():
                return _opened(ladder, table) is not None
        except Refused as refused:
            logger.info("game not started on %s: %s", ladder, refused)
            return False

    return run_isolated(opened, False, logger, "cannot start a game on %s", ladder)


def _opened(ladder: Ladder, table: FoundTable) -> Match | None:
    players = list(Bot.objects.filter(pk__in=table.players))
    people = lock_people(bot.owner_id for bot in players if bot.owner_id is not None)
    mine = Pairing.objects.filter(bot__in=table.players, ladder=ladder, seen_at__gt=Now() - HERE)
    still = {row.bot_id for row in mine.select_for_update(no_key=True).order_by("pk")}
    able = {pk for pk, user in people.items() if _is_able(user, ladder, len(table.bots))}
    out = [bot.pk for bot in players if bot.owner_id not in able]
    if out:  # otherwise the others would be paired with them again and again
        Pairing.objects.filter(bot__in=out, ladder=ladder).delete()
        tell_lobby()
        return None
    if still != set(table.players):
        return None
    bots = list(Bot.objects.filter(memberships__in=table.bots))
    return begin(ladder, [*players, *bots], rated=True, limits=limits_of(RATED, rated=True))


def _is_able(person: User, ladder: Ladder, hosted: int) -> bool:
    """Whether ``person`` may still play on ``ladder``, in a game with this number of ``hosted`` bots."""
    try:
        _require_able(person, ladder)
    except Refused:
        return False
    return may_have_code(person.pk, hosted)
