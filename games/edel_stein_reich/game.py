"""The two games of this folder, as the registry lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.base import Chapter, Exchange, Figure, Figures, Game, Habit, Habits, ScoreColumn, State
from games.chance import Chance
from games.describing.documents import GameShapes
from games.edel_stein_reich import figures, habits, story, turning
from games.edel_stein_reich.cards import COLOURS
from games.edel_stein_reich.duel import GUESSES, DuelState
from games.edel_stein_reich.encoding import EdelSteinReichEncoding
from games.edel_stein_reich.pictures import PICTURES, PICTURES_FOR_TWO
from games.edel_stein_reich.schemas import shapes_of
from games.edel_stein_reich.state import EdelSteinReichState
from games.edel_stein_reich.story.words import COLOUR_NAMES
from games.edel_stein_reich.terms import TERMS
from games.edel_stein_reich.tutorial import FirstPhase
from games.encoding import Encoding
from games.tutoring import Tutorial


def _gems(score: Mapping[str, Any]) -> str:
    return " ".join(f"{count}\u00a0{{{colour}}}" for count, colour in zip(score["gems"], COLOURS, strict=True))


class EdelSteinReich(Game):
    """Three to five merchants choose in secret, barter when two want the same, and sell by majority."""

    slug = "edel-stein-reich"
    name = "Edel, Stein & Reich"
    seat_counts: tuple[int, ...] = (3, 4, 5)
    tokens: Mapping[str, str] = COLOUR_NAMES
    pictures: Mapping[str, str] = PICTURES
    drawing = "gem"
    board = "gems"
    stretches = figures.STRETCHES
    price_unit = "gems"
    terms = TERMS
    tutorial: Tutorial | None = FirstPhase()

    def start(self, seats: int, chance: Chance) -> State:
        self.require_seats(seats)
        return EdelSteinReichState(self, seats, chance)

    def story(self, log: Mapping[str, Any], names: Sequence[str], *, by_step: bool = False) -> list[Chapter]:
        return story.tell(log, names, by_step)

    @property
    def guide(self) -> str:
        return self.folder.joinpath("guide.md").read_text(encoding="utf-8")

    def shapes(self) -> GameShapes:
        return shapes_of(self)

    def score_columns(self) -> Sequence[ScoreColumn]:
        return (
            ScoreColumn("money, millions", lambda score: str(score["money"])),
            ScoreColumn("gems left", _gems),
        )

    def figure_columns(self) -> Sequence[Figure]:
        return figures.COLUMNS

    def figures(self, state: State) -> list[Figures]:
        return figures.figures_of(state)

    def habit_columns(self) -> Sequence[Habit]:
        return habits.columns(max(self.seat_counts))

    def habits(self, state: State) -> list[Habits]:
        return habits.habits_of(state, GUESSES)

    def exchanges(self, state: State) -> list[Exchange]:
        return figures.exchanges_of(state)

    def turning_point(self, state: State) -> int | None:
        return turning.turning_point(state)

    def encoding(self, seats: int) -> Encoding:
        self.require_seats(seats)
        return EdelSteinReichEncoding(seats)


class Duel(EdelSteinReich):
    """The variant in which two players take turns and guess each other's hidden action."""

    slug = "edel-stein-reich-duel"
    name = "Edel, Stein & Reich for two"
    seat_counts: tuple[int, ...] = (2,)
    pictures: Mapping[str, str] = PICTURES_FOR_TWO
    tutorial: Tutorial | None = None

    def start(self, seats: int, chance: Chance) -> State:
        self.require_seats(seats)
        return DuelState(self, seats, chance)

    @property
    def guide(self) -> str:
        return self.folder.joinpath("duel_guide.md").read_text(encoding="utf-8")
