"""A story in the making: chapters, sentences and the clauses that are added to the last one."""

from __future__ import annotations

from collections.abc import Sequence

from games.base import Chapter
from games.edel_stein_reich.story.following import Following
from games.edel_stein_reich.story.words import ACTION_NAMES, listing


class Story:
    """Collects the sentences of a game while ``table`` follows it."""

    def __init__(self, seats: int, names: Sequence[str]) -> None:
        self.table = Following(seats)
        self.names = names
        self.duel = seats == 2
        self._chapters: list[tuple[str, int, list[str]]] = []

    def begin(self, title: str, ply: int) -> None:
        """Begin a chapter; one that has no sentence yet only changes its title."""
        if self._chapters and not self._chapters[-1][2]:
            ply = self._chapters.pop()[1]
        self._chapters.append((title, ply, []))

    def retitle(self, title: str) -> None:
        """Give the chapter that is going on another title."""
        _, ply, sentences = self._chapters[-1]
        self._chapters[-1] = (title, ply, sentences)

    def say(self, sentence: str) -> None:
        """Begin a new sentence, without its full stop."""
        self._chapters[-1][2].append(sentence)

    def go_on(self, text: str) -> None:
        """Continue the last sentence."""
        self._chapters[-1][2][-1] += text

    def add(self, clause: str) -> None:
        """Add a clause to the last sentence."""
        self.go_on(f"; {clause}")

    def act(self, seat: int, *verbs: str) -> None:
        """``seat`` carries out its action: right after winning the right to it, or because it was alone on it."""
        name, phrase = self.names[seat], " and ".join(verbs)
        if self.table.winner == seat and self.table.turned:
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

    def named(self, seats: Sequence[int]) -> str:
        """The names of seats, listed."""
        return listing([self.names[seat] for seat in seats])

    def chapters(self) -> list[Chapter]:
        """The finished chapters, every sentence with its full stop; chapters without a sentence are left out."""
        return [
            Chapter(title, ply, tuple(f"{sentence}." for sentence in sentences))
            for title, ply, sentences in self._chapters
            if sentences
        ]
