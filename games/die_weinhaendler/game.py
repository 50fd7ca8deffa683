"""The game as the registry lists it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.base import Chapter, Figure, Figures, Game, Habit, Habits, ScoreColumn, State
from games.chance import Chance
from games.describing.documents import GameShapes
from games.die_weinhaendler import figures, habits, story, turning
from games.die_weinhaendler.encoding import WeinhaendlerEncoding
from games.die_weinhaendler.schemas import shapes_of
from games.die_weinhaendler.state import WeinhaendlerState
from games.die_weinhaendler.story.words import BOTTLES
from games.die_weinhaendler.terms import TERMS
from games.encoding import Encoding


class Weinhaendler(Game):
    """Three to five merchants bid wine for wine and lay the bottles they get in cellars."""

    slug = "die-weinhaendler"
    name = "Die Weinhändler"
    seat_counts: tuple[int, ...] = (3, 4, 5)
    tokens: Mapping[str, str] = BOTTLES
    drawing = "bottle"
    board = "cellars"
    stretches = figures.STRETCHES
    terms = TERMS
    veiled: tuple[str, ...] = ("bid", "lay")

    def start(self, seats: int, chance: Chance) -> State:
        self.require_seats(seats)
        return WeinhaendlerState(self, seats, chance)

    def story(self, log: Mapping[str, Any], names: Sequence[str], *, by_step: bool = False) -> list[Chapter]:
        return story.tell(log, names, by_step)

    @property
    def guide(self) -> str:
        return self.folder.joinpath("guide.md").read_text(encoding="utf-8")

    def shapes(self) -> GameShapes:
        return shapes_of(self)

    def score_columns(self) -> Sequence[ScoreColumn]:
        return (ScoreColumn("points", lambda score: str(score["points"])),)

    def figure_columns(self) -> Sequence[Figure]:
        return figures.COLUMNS

    def figures(self, state: State) -> list[Figures]:
        return figures.figures_of(state)

    def habit_columns(self) -> Sequence[Habit]:
        return habits.COLUMNS

    def habits(self, state: State) -> list[Habits]:
        return habits.habits_of(state)

    def turning_point(self, state: State) -> int | None:
        return turning.turning_point(state)

    def encoding(self, seats: int) -> Encoding:
        self.require_seats(seats)
        return WeinhaendlerEncoding(seats)
