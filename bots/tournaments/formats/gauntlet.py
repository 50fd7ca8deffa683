from __future__ import annotations

from collections.abc import Collection, Sequence

from bots.tournaments.formats.base import Format, Plan
from bots.tournaments.rounds import PlayedRound, Round


class Gauntlet(Format):
    """The top seed meets each other entrant once, and the others do not meet, as in cutechess and fastchess.

    All tables are played in one round, so that workers do not wait for the slowest one.
    """

    slug, name = "gauntlet", "Gauntlet"
    summary = "Gauntlet, for two players: the top seed plays against every other bot. The others do not meet."
    seat_counts = (2,)
    results_table = "by opponent"
    has_several_tables = True

    def next_round(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Round | None:
        return None if played else Round(tuple((0, other) for other in range(1, len(plan.entrants))))
