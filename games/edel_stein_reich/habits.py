"""Habits: how seats choose, barter and, with two seats, guess, from the steps of a game.

A decision counts only if the seat made it: not if only one move was legal, and not if the platform played for it.
Barters count with their result, even if the platform decided it.
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
    """Return the habits that are counted in games with up to ``seats`` seats."""
    choices = [choice for choice in CHOICES if choice.key in TABLES[seats].actions]
    return (*choices, *BARTERS, *(GUESSES if seats == 2 else ()))


class _Counting:
    """Reads the steps once. ``seen`` is the number of offers in the current barter."""

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
        """Count one more occasion."""
        total = self.habits[seat].setdefault(habit, [0, 0])
        total[0] += amount
        total[1] += 1

    def action(self, seat: int, move: str, names: tuple[str, ...], own: bool) -> None:
        """Count an action that was chosen from ``names``."""
        self.hidden = (seat, move)
        self.guesses = []
        if own:
            for name in names:
                self.count(seat, name, int(name == move))

    def open(self, seat: int, move: Any, own: bool) -> None:
        """Count the first offer of a barter, or its absence."""
        self.opener, self.seen, self.answered = seat, 0, set()
        opened = move != "decline"
        if own:
            self.count(seat, "opens", int(opened))
        if opened:
            self.offer(seat, move)
            if own:
                self.count(seat, "first_offer", self.offered)

    def offer(self, seat: int, move: Any) -> None:
        """Record the new standing offer."""
        gems: list[int] = move["offer"]
        self.bidder, self.offered = seat, sum(gems)
        self.seen += 1

    def answer(self, seat: int, move: Any, own: bool) -> None:
        """Count an acceptance or a higher offer."""
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
        """Count whether the other seat gives a gem after no offer was made."""
        given = move != "decline"
        if own:
            self.count(seat, "gives_one", int(given))
        if given:
            self.won(seat, self.opener, 1)
            return
        for bidder in (seat, self.opener):
            self.count(bidder, "wins", 0)
            self.count(bidder, "yields", 0)

    def won(self, winner: int, other: int, gems: int) -> None:
        """Count a barter that is over."""
        for seat in (winner, other):
            self.count(seat, "wins", int(seat == winner))
            self.count(seat, "yields", int(seat == other))
        self.count(winner, "paid", gems)
        self.count(other, "got", gems)

    def guess(self, seat: int, move: str, most: int, own: bool) -> None:
        """Count a guess. The last of ``most`` guesses decides whether the action stays hidden."""
        self.guesses.append(move)
        hider, action = self.hidden
        caught = move == action
        if own:
            self.count(seat, "first_caught" if len(self.guesses) == 1 else "second_caught", int(caught))
        if caught or len(self.guesses) == most:
            self.count(hider, "unseen", int(not caught))


def habits_of(state: State, most_guesses: int) -> list[Habits]:
    """Return the habits of a finished game by seat. Raises ``ValueError`` while it runs."""
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
