"""A builder of the move list, and the table as a reader of a log can follow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.edel_stein_reich.cards import COLOURS, GEMS_AT_START, GEMS_PER_COLOUR
from games.edel_stein_reich.story.words import ACTION_NAMES
from games.story import Narrative
from games.words import listing


class Story(Narrative):
    """Collects the sentences of a game while ``table`` follows it."""

    def __init__(self, seats: int, names: Sequence[str], by_step: bool = False) -> None:
        super().__init__(names, by_step)
        self.table = Following(seats)
        self.duel = seats == 2

    def act(self, seat: int, *verbs: str) -> None:
        """Add that ``seat`` carries out its action, after it won the barter or because it was the only chooser."""
        name, phrase = self.names[seat], " and ".join(verbs)
        if self.table.winner == seat and not self.in_this_step:
            self.say(f"{name} {phrase}")
        elif self.table.winner == seat and self.table.turned:
            self.go_on(f", {phrase}" if len(verbs) > 1 else f" and {phrase}")
        elif self.table.winner == seat:
            self.add(f"{name} {phrase}")
        else:
            self.say(f"{name} {listing([f'is alone on {ACTION_NAMES[self.table.choices[seat]]}', *verbs])}")
        self.table.winner = None
        self.table.turned = False

    def settle_gems(self) -> None:
        """Mention a seat that takes no gems of its card because the supply has none of them."""
        seat = self.table.owed_gems
        if seat is not None:
            self.act(seat, "takes no gems because the supply has none of these colors")
            self.table.owed_gems = None


class Following:
    """The table as known at one point of a log.

    ``choices`` contains the revealed actions of this round by seat. ``winner`` is the seat that has won a barter, or
    whose action was not caught, and has not acted yet. ``turned`` is true if the last sentence is about that seat.
    ``owed_gems`` is the seat that will take the gems of a card. ``idle`` is true while an immediate card has had no
    effect yet. ``refusing`` is true before the display is discarded for a blind draw, and ``drew`` is the card drawn.
    ``picks`` counts the free choices made.
    """

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.gems = [[GEMS_AT_START] * 4 for _ in range(seats)]
        self.money = [0] * seats
        self.cards: list[list[str]] = [[] for _ in range(seats)]
        self.age_order: list[int] = list(range(seats))
        self.phase = 0
        self.begin_round({})

    def begin_round(self, gem_cards: Mapping[int, str]) -> None:
        """Begin a round with these gem cards by seat, without choices and guesses."""
        self.gem_cards = dict(gem_cards)
        self.choices: dict[int, str] = {}
        self.guesses: list[str] = []
        self.active: int | None = None
        self.display: str | None = None
        self.immediate: str | None = None
        self.refusing = False
        self.drew = False
        self.idle = False
        self.owed_gems: int | None = None
        self.turned = False
        self.picks = 0
        self.end_barter()

    def end_barter(self, winner: int | None = None) -> None:
        """End the barter."""
        self.barter: tuple[int, int] | None = None
        self.standing: list[int] | None = None
        self.winner = winner

    def begin_barter(self, opener: int) -> str:
        """Begin a barter with this opener and return its action."""
        action = self.action_of(opener)
        rivals = self.choosers(action) if self.active is None else [0, 1]
        self.barter = (opener, next(seat for seat in rivals if seat != opener))
        return action

    def action_of(self, seat: int) -> str:
        """Return the action for which ``seat`` barters or that it has won."""
        return self.choices[seat] if self.active is None else self.guesses[-1]

    def win(self, seat: int) -> None:
        """Record that ``seat`` has won the action of the barter."""
        if self.action_of(seat) == "gems":
            self.owed_gems = seat
        self.end_barter(seat)

    @property
    def supply(self) -> list[int]:
        """The gems in the supply."""
        return [GEMS_PER_COLOUR - sum(held[colour] for held in self.gems) for colour in range(4)]

    def choosers(self, action: str) -> list[int]:
        """Return the seats that chose ``action`` in this round, ascending."""
        return sorted(seat for seat, choice in self.choices.items() if choice == action)

    def precedence(self, seat: int) -> tuple[int, ...]:
        """Return the sort key of openers: fewest red, yellow, green, blue, least money, youngest."""
        return (*self.gems[seat], self.money[seat], self.age_order.index(seat))

    def move_gems(self, giver: int | str, receiver: int | str, gems: Sequence[int]) -> None:
        """Move gems between seats or ``"supply"``."""
        for place, sign in ((giver, -1), (receiver, 1)):
            if isinstance(place, int):
                held = self.gems[place]
                self.gems[place] = [have + sign * count for have, count in zip(held, gems, strict=True)]

    def pay_row(self, row: Mapping[str, Any]) -> None:
        """Apply one row of a scoring: money for the seats, gems to the supply."""
        for seat in range(self.seats):
            self.money[seat] += row["share"][seat] + row["sole_bonus"][seat] + row["per_gem"][seat]
            if row["of"] in COLOURS:
                self.gems[seat][COLOURS.index(row["of"])] -= row["returned"][seat]
