"""A running live game on its page: the table as everybody may see it (``ladder.live.visibility``), drawn and told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from games.registry import GAMES
from games.replays.documents import named
from ladder.live.visibility import Cut, public_cut
from ladder.models import Block, Match
from ladder.pages.telling import begins_with, with_names


@dataclass(frozen=True)
class Round:
    """What happened in one round, as sentences with the seat whose name each begins with, from 0."""

    title: str
    sentences: Sequence[tuple[int | None, str]]


@dataclass(frozen=True)
class Running:
    """The cut of a game, ``None`` in its first round; ``names`` are those of its seats."""

    game: str
    cut: Cut | None
    names: Sequence[str]

    @property
    def scene(self) -> dict[str, Any] | None:
        """The moment as a board draws it (``docs/boards.md``), with nothing in it that one seat alone knows."""
        return None if self.cut is None else scene_of(self.cut, len(self.names))

    @property
    def rounds(self) -> list[Round]:
        """What has happened up to there, the newest round first."""
        if self.cut is None:
            return []
        chapters = GAMES[self.game].story(self.cut.log, named(len(self.names)))
        return [
            Round(chapter.title, [(begins_with(text), with_names(self.names, text)) for text in chapter.sentences])
            for chapter in reversed(chapters)
        ]


def scene_of(cut: Cut, seats: int) -> dict[str, Any]:
    """What a cut shows, as a board of so many ``seats`` draws it."""
    entries = cut.log["entries"]
    return {
        "view": cut.view,
        "yous": [None] * seats,
        "seat": None,
        "ply": entries[-1]["ply"] if entries else 0,
        "entries": [],
    }


def running(match: Match, names: Sequence[str]) -> Running | None:
    """The live game ``match``, whose ladder and block are there, while it goes on; ``None`` for any other match."""
    if match.status != Match.Status.RUNNING or match.block.purpose not in Block.DRIVEN_BY_REQUESTS:
        return None
    return Running(match.ladder.game, public_cut(match), names)
