"""The candidates for the seats of new blocks of a ladder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from bots.models import Bot, BotVersion
from bots.programs import house_bot, plays
from bots.tournaments.seatings import seatings
from ladder.ledger.entries import merged_on
from ladder.matches.blocks import BlockPlayer
from ladder.matches.house_bots import fillers
from ladder.matches.playing_versions import playing_versions
from ladder.models import Block, Estimate, Ladder, LastSeat, Match, Membership, Seat
from ladder.pairings.candidates import Candidate

_READ: Final = ("bot__name", "bot__owner", "bot__house_name", "number", "digest", "state", "archive", "formats")
"""The fields of a version and its bot that pairing needs. A ladder can have ten thousand members."""


@dataclass(frozen=True)
class LadderCandidates:
    """The candidates of ``ladder``, with their players and last seats by membership."""

    ladder: Ladder
    candidates: Collection[Candidate]
    players: Mapping[int, BlockPlayer]
    last_seats: Mapping[int, LastSeat]

    def remember(self, blocks: Iterable[tuple[Block, Iterable[int]]]) -> None:
        """Store that these memberships got seats in these blocks."""
        games, seated = len(seatings(self.ladder.seats)), set[int]()
        for block, memberships in blocks:
            for membership in memberships:
                last, version = self.last_seats[membership], self.players[membership].version
                last.version_games = last.games_of(version) + games
                last.since, last.version = block.pk, version
                seated.add(membership)
        LastSeat.objects.bulk_update(
            [self.last_seats[membership] for membership in sorted(seated)],
            ["since", "version", "version_games"],
            batch_size=100,
        )


def candidates_of(ladder: Ladder) -> LadderCandidates:
    """The members that can get a seat on ``ladder`` now; seven queries for any number of them.

    House bots that fill up games are included only while the others are too few for one. Members whose results count
    for another member, or not at all, are not included.
    """
    everybody = Membership.objects.filter(ladder=ladder, active=True, bot__in=Bot.objects.playing())
    merged = merged_on([ladder])
    memberships = [
        membership
        for membership in everybody.only("ladder", "bot", "rating", "games", "frozen")
        if membership.pk not in merged
    ]
    players = _players(ladder, memberships)
    memberships = [membership for membership in memberships if membership.pk in players]
    if spare := fillers(ladder, [_owner(players[membership.pk].version) for membership in memberships]):
        players |= _players(ladder, spare)
        memberships += [membership for membership in spare if membership.pk in players and membership.pk not in merged]
    last_seats = _last_seats(ladder, memberships)
    pending = Seat.objects.filter(match__ladder=ladder, match__status__in=Match.PENDING, membership__isnull=False)
    waiting = Counter(pending.values_list("membership", flat=True))
    estimates = Estimate.objects.filter(season__ladder=ladder, season__closing=None)
    widths = {version: high - low for version, low, high in estimates.values_list("version", "low", "high")}
    candidates = [
        Candidate(
            membership=membership.pk,
            rating=membership.rating,
            games=membership.games + waiting[membership.pk],
            owner=_owner(players[membership.pk].version),
            version_games=last_seats[membership.pk].games_of(players[membership.pk].version),
            width=widths.get(players[membership.pk].version.pk),
            since=last_seats[membership.pk].since,
        )
        for membership in memberships
    ]
    return LadderCandidates(ladder, candidates, players, last_seats)


def _players(ladder: Ladder, memberships: Collection[Membership]) -> dict[int, BlockPlayer]:
    """By membership, the version that plays for it, if it can play games of the ladder now."""
    versions = playing_versions(memberships, fields=_READ)
    return {
        membership.pk: BlockPlayer(versions[membership.bot_id], membership)
        for membership in memberships
        if membership.bot_id in versions and plays(versions[membership.bot_id], ladder.game, ladder.seats)
    }


def _last_seats(ladder: Ladder, memberships: Iterable[Membership]) -> dict[int, LastSeat]:
    """The last seats by membership. A new member has waited since the last block of the ladder."""
    seats = {last.membership_id: last for last in LastSeat.objects.filter(membership__ladder=ladder)}
    missing = [membership for membership in memberships if membership.pk not in seats]
    if missing:
        last_block = Block.objects.filter(ladder=ladder, purpose=Block.Purpose.LADDER).order_by("-pk").first()
        since = last_block.pk if last_block else 0
        new = LastSeat.objects.bulk_create(LastSeat(membership=membership, since=since) for membership in missing)
        seats |= {last.membership_id: last for last in new}
    return seats


def _owner(version: BotVersion) -> int | None:
    """The owner whose other bots cannot play in the same game; ``None`` for house bots."""
    return None if house_bot(version) else version.bot.owner_id
