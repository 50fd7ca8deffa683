"""Who may be given a seat on a ladder now, as pairing sees it; read and written while the ladder's row is held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from bots.models import Bot, BotVersion
from bots.programs import house_bot, plays
from ladder.blocks import Player
from ladder.filling_up import fillers
from ladder.freezing import playing_versions
from ladder.models import Block, Entry, Estimate, Ladder, LastSeat, Match, Seat
from ladder.pairings.candidates import Candidate
from ladder.pairings.seatings import seatings
from ladder.rules import merged_on

_READ: Final = ("bot__name", "bot__owner", "bot__house_name", "number", "digest", "state", "archive", "claims")
"""What pairing needs of a version and its bot: there may be ten thousand."""


@dataclass(frozen=True)
class StandingBy:
    """The candidates of ``ladder``; ``players`` and ``last_seats`` are theirs, by entry."""

    ladder: Ladder
    candidates: Collection[Candidate]
    players: Mapping[int, Player]
    last_seats: Mapping[int, LastSeat]

    def remember(self, blocks: Iterable[tuple[Block, Iterable[int]]]) -> None:
        """Write down that these entries were given seats in these blocks."""
        games, seated = len(seatings(self.ladder.seats)), set[int]()
        for block, entries in blocks:
            for entry in entries:
                last, version = self.last_seats[entry], self.players[entry].version
                last.version_games = last.games_of(version) + games
                last.since, last.version = block.pk, version
                seated.add(entry)
        LastSeat.objects.bulk_update(
            [self.last_seats[entry] for entry in sorted(seated)], ["since", "version", "version_games"], batch_size=100
        )


def standing_by(ladder: Ladder) -> StandingBy:
    """Everybody who may be given a seat on ``ladder`` now; seven queries, however many there are.

    House bots that fill up the tables are among them only while the others are too few for one. Who was merged into
    another entry, or out, is not.
    """
    everybody = Entry.objects.filter(ladder=ladder, active=True, bot__in=Bot.objects.playing())
    merged = merged_on([ladder])
    entries = [
        entry for entry in everybody.only("ladder", "bot", "rating", "games", "frozen") if entry.pk not in merged
    ]
    players = _players(ladder, entries)
    entries = [entry for entry in entries if entry.pk in players]
    if spare := fillers(ladder, [_owner(players[entry.pk].version) for entry in entries]):
        players |= _players(ladder, spare)
        entries += [entry for entry in spare if entry.pk in players and entry.pk not in merged]
    last_seats, waiting, widths = _last_seats(ladder, entries), _waiting(ladder), _widths(ladder)
    candidates = [
        Candidate(
            entry=entry.pk,
            rating=entry.rating,
            games=entry.games + waiting[entry.pk],
            owner=_owner(players[entry.pk].version),
            version_games=last_seats[entry.pk].games_of(players[entry.pk].version),
            width=widths.get(players[entry.pk].version.pk),
            since=last_seats[entry.pk].since,
        )
        for entry in entries
    ]
    return StandingBy(ladder, candidates, players, last_seats)


def _players(ladder: Ladder, entries: Collection[Entry]) -> dict[int, Player]:
    """By entry, with the version that plays for it, where it can be played at the ladder's tables now."""
    versions = playing_versions(entries, fields=_READ)
    return {
        entry.pk: Player(versions[entry.bot_id], entry)
        for entry in entries
        if entry.bot_id in versions and plays(versions[entry.bot_id], ladder.game, ladder.seats)
    }


def _last_seats(ladder: Ladder, entries: Iterable[Entry]) -> dict[int, LastSeat]:
    """By entry; who is new has waited since the ladder's last block."""
    found = {last.entry_id: last for last in LastSeat.objects.filter(entry__ladder=ladder)}
    missing = [entry for entry in entries if entry.pk not in found]
    if missing:
        last_block = Block.objects.filter(ladder=ladder, purpose=Block.Purpose.LADDER).order_by("-pk").first()
        since = last_block.pk if last_block else 0
        new = LastSeat.objects.bulk_create(LastSeat(entry=entry, since=since) for entry in missing)
        found |= {last.entry_id: last for last in new}
    return found


def _waiting(ladder: Ladder) -> Counter[int]:
    """By entry, the rated games that it has still to play."""
    pending = Seat.objects.filter(match__ladder=ladder, match__status__in=Match.PENDING, entry__isnull=False)
    return Counter(pending.values_list("entry", flat=True))


def _widths(ladder: Ladder) -> dict[int, int]:
    """By version, the width of its estimate's interval in the open season, in 1/1000 point."""
    estimates = Estimate.objects.filter(season__ladder=ladder, season__closing=None)
    return {version: high - low for version, low, high in estimates.values_list("version", "low", "high")}


def _owner(version: BotVersion) -> int | None:
    """Whose other bots may not sit at the same table; ``None`` for the house's."""
    return None if house_bot(version) else version.bot.owner_id
