"""The first page: every ladder's leaders, what is being played, and what came out last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.models import Match
from ladder.models.ladders import Viewer
from ladder.pages.matches import SeatTable, listed
from ladder.pages.seeing import matches_seen_by
from ladder.pages.tables import Board, boards

SHOWN = 8


@dataclass(frozen=True)
class HomePage:
    """What the first page shows."""

    boards: Sequence[Board]
    running: Sequence[Match]
    running_number: int
    queued_number: int
    latest: Sequence[Match]

    @property
    def finished(self) -> int:
        """Rated matches of all ladders."""
        return sum(board.finished for board in self.boards)

    @property
    def last(self) -> SeatTable | None:
        """The table of the game that was finished last."""
        return SeatTable(self.latest[0]) if self.latest else None

    @property
    def hidden(self) -> int:
        """Running matches that are not listed."""
        return self.running_number - len(self.running)


def home_page(user: Viewer) -> HomePage:
    """The first page for ``user``; eight queries."""
    seen = matches_seen_by(user)
    running = seen.filter(status=Match.Status.RUNNING)
    return HomePage(
        boards=boards(user),
        running=list(listed(running).order_by("started", "pk")[:SHOWN]),
        running_number=running.count(),
        queued_number=seen.filter(status=Match.Status.QUEUED).count(),
        latest=list(listed(seen.filter(result__isnull=False)).order_by("-result__pk")[:SHOWN]),
    )
