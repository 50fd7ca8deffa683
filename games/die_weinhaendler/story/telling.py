"""A story in the making, of Die Weinhändler: what several entries make one sentence of waits until it is complete."""

from __future__ import annotations

from collections.abc import Sequence

from games.die_weinhaendler.story.following import Following
from games.story import Chapter, Telling
from games.words import listing


class Story(Telling):
    """Collects the sentences of a game while ``table`` follows it.

    ``own`` is the seat whose log is told, ``ply`` that of the entry that is being told. ``layer`` is the seat that is
    laying, and ``has_laid`` whether it has laid something in this turn; ``laid`` are the words for what it has laid in
    this sentence, ``earned`` its points for them, and ``noted`` the remark on the bottle that comes next.
    """

    def __init__(self, names: Sequence[str], own: int | None = None, by_step: bool = False) -> None:
        super().__init__(names, by_step)
        self.table = Following(len(names))
        self.own = own
        self.ply = 0
        self.layer = 0
        self.has_laid = False
        self.laid: list[str] = []
        self.earned = 0
        self.noted = ""
        self._alike: list[int] = []
        self._does: tuple[str, str] = ("", "")
        self._remarks = ""

    def say(self, sentence: str) -> None:
        """Begin a new sentence, after those that were waiting."""
        self.settle()
        super().say(sentence)

    def begin(self, title: str, ply: int) -> None:
        """Begin a chapter, after the sentences that were waiting."""
        self.settle()
        super().begin(title, ply)

    def say_of(self, seat: int, does: tuple[str, str], remark: str) -> None:
        """``seat`` does as others may have just done: ``("passes", "pass")``; they share a sentence."""
        if self.laid or self._does != does:
            self.settle()
        self._does = does
        self._alike.append(seat)
        self._remarks += remark

    def settle(self) -> None:
        """Say what was waiting for its end."""
        alike, laid = self._alike, self.laid
        self._alike, self.laid = [], []
        if alike:
            super().say(f"{self.named(alike)} {self._does[len(alike) > 1]}{self._remarks}")
        if laid:
            now = f", now {self.table.points[self.layer]}" if self.table.points[self.layer] != self.earned else ""
            earned = f"{_points(self.earned)}{now}" if self.earned else "no points"
            super().say(f"{self.names[self.layer]} lays {listing(laid)}: {earned}")
        self._remarks = ""
        self.earned = 0

    def chapters(self) -> list[Chapter]:
        self.settle()
        return super().chapters()


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"
