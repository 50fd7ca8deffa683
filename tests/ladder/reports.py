"""Reports as a runner would give them, of random legal games, without a runner."""

from __future__ import annotations

from random import Random

from bots.runner.report import Forfeit, MatchReport, SeatReport
from games.registry import GAMES
from ladder.models import Match


def variety_of(match: Match) -> int:
    """A number for another random game in every match. Primary keys depend on the tests before, this does not."""
    return 100 * (match.block.number or 0) + 10 * match.lineup + match.seating


def report_of(match: Match, *, variety: int = 0, forfeits: dict[int, str] | None = None) -> MatchReport:
    """A game of ``match``'s own deal by random legal play; ``variety`` makes it another one."""
    state = GAMES[match.ladder.game].new(match.ladder.seats, bytes(match.block.seed))
    random = Random(variety)
    while state.pending:
        for seat in state.pending:
            state.play(seat, state.random_move(seat, random))
    for seat, reason in (forfeits or {}).items():
        state.forfeit(seat, reason)
    return MatchReport(
        record=state.record,
        forfeits=tuple(Forfeit(seat, reason, None, f"evidence: {reason}") for seat, reason in (forfeits or {}).items()),
        seats=tuple(SeatReport(f"seat {i}", "00" * 32, 1000, (), (), 0, "") for i in range(match.ladder.seats)),
        machine_delays=(),
        play_again=False,
        wall_us=1000,
    )
