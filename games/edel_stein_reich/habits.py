"""How seats play: what they choose, how they barter and, where two play, how they guess, from a game's own steps.

A decision counts where the seat took it: not where only one move was legal, and not where the platform played for it.
Barters count as they ended, whoever decided it.
"""

from __future__ import annotations

from typing import Any, Final

from games.edel_stein_reich.cards import TABLES
from games.edel_stein_reich.figures import finished
from games.rules import State
from games.statistics import Habit, Habits

_CHOICE, _BARTER, _GUESS = "Actions", "Barters", "Hiding and guessing"

CHOICES: Final = (
    Habit("money", _CHOICE, "Money", "Share of rounds with the choice Money.", "choices"),
    Habit("event", _CHOICE, "Event", "Share of rounds with the choice Event.", "choices"),
    Habit("gems", _CHOICE, "Gems", "Share of rounds with the choice Gems.", "choices"),
    Habit(
        "free_choice",
        _CHOICE,
        "Free Choice",
        "Share of rounds in which Free Choice was chosen, if the game has it.",
        "choices",
    ),
)

BARTERS: Final = (
    Habit(
        "opens",
        _BARTER,
        "Opens barters",
        "Share of barters to open in which the player made an offer.",
        "barters to open",
    ),
    Habit(
        "first_offer",
        _BARTER,
        "Gems in the opening offer",
        "Average number of gems in the opening offer.",
        "barters opened",
        share=False,
    ),
    Habit(
        "accepts_first",
        _BARTER,
        "Accepts the first offer",
        "Share of answered barters in which the player accepted the first offer.",
        "barters answered",
    ),
    Habit(
        "accepted_at",
        _BARTER,
        "Number of the accepted offer",
        "Average position of the accepted offer, counting the offers of both players.",
        "offers accepted",
        share=False,
    ),
    Habit("wins", _BARTER, "Wins barters", "Share of barters after which the player acted.", "barters"),
    Habit("yields", _BARTER, "Concedes barters", "Share of barters after which the opponent acted.", "barters"),
    Habit(
        "paid",
        _BARTER,
        "Gems paid for an action",
        "Average number of gems given in barters won.",
        "barters won",
        share=False,
    ),
    Habit(
        "got",
        _BARTER,
        "Gems received for conceding",
        "Average number of gems received in barters conceded.",
        "barters conceded",
        share=False,
    ),
    Habit(
        "gives_one",
        _BARTER,
        "Gives a gem when nothing is offered",
        "Share of unopened barters in which the player gave one gem and acted.",
        "barters not opened",
    ),
)

GUESSES: Final = (
    Habit(
        "first_caught",
        _GUESS,
        "First guess is right",
        "Share of turns in which the first guess was the hidden action.",
        "turns guessed",
    ),
    Habit(
        "second_caught",
        _GUESS,
        "Second guess is right",
        "Share of second guesses that were the hidden action.",
        "second guesses",
    ),
    Habit(
        "unseen", _GUESS, "Stays undetected", "Share of turns in which neither guess was the hidden action.", "turns"
    ),
)


def columns(seats: int) -> tuple[Habit, ...]:
    """What is counted where the most seats of a table are ``seats``."""
    choices = [choice for choice in CHOICES if choice.key in TABLES[seats].actions]
    return (*choices, *BARTERS, *(GUESSES if seats == 2 else ()))


class _Counting:
    """The steps read once; ``seen`` is how many offers the barter that goes on has had."""

    def __init__(self, seats: int) -> None:
        self.habits: list[Habits] = [{} for _ in range(seats)]
        self.answered: set[int] = set()
        self.opener = 0
        self.bidder = 0
        self.offered = 0
        self.seen = 0
        self.guesses: list[str] = []
        self.hidden = (0, "")

    def count(self, seat: int, habit: str, amount: int) -> None:
        """One more occasion."""
        its = self.habits[seat].setdefault(habit, [0, 0])
        its[0] += amount
        its[1] += 1

    def action(self, seat: int, move: str, names: tuple[str, ...], own: bool) -> None:
        """An action chosen among ``names``."""
        self.hidden = (seat, move)
        self.guesses = []
        if own:
            for name in names:
                self.count(seat, name, int(name == move))

    def open(self, seat: int, move: Any, own: bool) -> None:
        """The first offer of a barter, or none."""
        self.opener, self.seen, self.answered = seat, 0, set()
        opened = move != "decline"
        if own:
            self.count(seat, "opens", int(opened))
        if opened:
            self.offer(seat, move)
            if own:
                self.count(seat, "first_offer", self.offered)

    def offer(self, seat: int, move: Any) -> None:
        """An offer that stands now."""
        gems: list[int] = move["offer"]
        self.bidder, self.offered = seat, sum(gems)
        self.seen += 1

    def answer(self, seat: int, move: Any, own: bool) -> None:
        """The offer is accepted, or a higher one made."""
        accepted = move == "accept"
        if own and seat not in self.answered:
            self.count(seat, "accepts_first", int(accepted))
        self.answered.add(seat)
        if not accepted:
            self.offer(seat, move)
            return
        if own:
            self.count(seat, "accepted_at", self.seen)
        self.won(self.bidder, seat, self.offered)

    def gift(self, seat: int, move: Any, own: bool) -> None:
        """Nothing was offered: the other one may give a gem and act."""
        given = move != "decline"
        if own:
            self.count(seat, "gives_one", int(given))
        if given:
            self.won(seat, self.opener, 1)
            return
        for one in (seat, self.opener):
            self.count(one, "wins", 0)
            self.count(one, "yields", 0)

    def won(self, winner: int, other: int, gems: int) -> None:
        """A barter is over."""
        for seat in (winner, other):
            self.count(seat, "wins", int(seat == winner))
            self.count(seat, "yields", int(seat == other))
        self.count(winner, "paid", gems)
        self.count(other, "got", gems)

    def guess(self, seat: int, move: str, most: int, own: bool) -> None:
        """A guess at the action that is hidden; the last of ``most`` decides whether it stays so."""
        self.guesses.append(move)
        hider, action = self.hidden
        caught = move == action
        if own:
            self.count(seat, "first_caught" if len(self.guesses) == 1 else "second_caught", int(caught))
        if caught or len(self.guesses) == most:
            self.count(hider, "unseen", int(not caught))


def habits_of(state: State, most_guesses: int) -> list[Habits]:
    """The habits of a finished game by seat. Raises ``ValueError`` while it runs."""
    over = finished(state)
    counting = _Counting(over.seats)
    for seat, kind, move, mark in over.steps:
        own = not mark
        if kind == "action":
            counting.action(seat, move, over.actions, own)
        elif kind == "open_barter":
            counting.open(seat, move, own)
        elif kind == "answer_offer":
            counting.answer(seat, move, own)
        elif kind == "counter_gift":
            counting.gift(seat, move, own)
        elif kind == "guess":
            counting.guess(seat, move, most_guesses, own)
    return counting.habits
