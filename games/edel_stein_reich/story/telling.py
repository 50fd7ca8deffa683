"""A story in the making, of Edel, Stein & Reich."""

from __future__ import annotations

from collections.abc import Sequence

from games.edel_stein_reich.story.following import Following
from games.edel_stein_reich.story.words import ACTION_NAMES
from games.story import Telling


class Story(Telling):
    """Collects the sentences of a game while ``table`` follows it."""

    def __init__(self, seats: int, names: Sequence[str], by_step: bool = False) -> None:
        super().__init__(names, by_step)
        self.table = Following(seats)
        self.duel = seats == 2

    def act(self, seat: int, *verbs: str) -> None:
        """``seat`` carries out its action: right after winning the right to it, or because it was alone on it."""
        name, phrase = self.names[seat], " and ".join(verbs)
        if self.table.winner == seat and not self.in_this_step:
            self.say(f"{name} {phrase}")
        elif self.table.winner == seat and self.table.turned:
            self.go_on(f", {phrase}" if len(verbs) > 1 else f" and {phrase}")
        elif self.table.winner == seat:
            self.add(f"{name} {phrase}")
        else:
            self.say(f"{name}, alone on {ACTION_NAMES[self.table.choices[seat]]}, {phrase}")
        self.table.winner = None
        self.table.turned = False

    def settle_gems(self) -> None:
        """Say so when a seat was to take the gems of a card and the supply had none of them."""
        seat = self.table.owed_gems
        if seat is not None:
            self.act(seat, "takes no gems: the supply has none of these colours")
            self.table.owed_gems = None
