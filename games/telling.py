"""What the stories of all games have in common: chapters, sentences, and how a game ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.base import Chapter
from games.words import DEFAULTS, FORFEITS, listing


class Telling:
    """A story in the making; sentences come without their full stop, and clauses may be added to the last one."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._chapters: list[tuple[str, int, list[str]]] = []

    def begin(self, title: str, ply: int) -> None:
        """Begin a chapter; one that has no sentence yet only changes its title."""
        if self._chapters and not self._chapters[-1][2]:
            ply = self._chapters.pop()[1]
        self._chapters.append((title, ply, []))

    def say(self, sentence: str) -> None:
        """Begin a new sentence, without its full stop."""
        self._chapters[-1][2].append(sentence)

    def go_on(self, text: str) -> None:
        """Continue the last sentence."""
        self._chapters[-1][2][-1] += text

    def add(self, clause: str) -> None:
        """Add a clause to the last sentence."""
        self.go_on(f"; {clause}")

    def named(self, seats: Sequence[int]) -> str:
        """The names of seats, listed."""
        return listing([self.names[seat] for seat in seats])

    def mark(self, step: Mapping[str, Any]) -> None:
        """Add what a seat's own log knows of a forced or defaulted move to the sentence that told the move."""
        if "default" in step:
            reason = DEFAULTS.get(step["default"], step["default"])
            self.go_on(f" ({self.names[step['seat']]} plays the default: {reason})")
        elif step.get("forced"):
            self.go_on(" (nothing else is possible)")

    def tell_forfeits(self, scores: Sequence[Mapping[str, Any]]) -> None:
        """A sentence for every seat that lost without playing to the end."""
        for seat, score in enumerate(scores):
            if "forfeit" in score:
                reason = FORFEITS.get(score["forfeit"], score["forfeit"])
                self.say(f"{self.names[seat]} has forfeited and ranks behind all who finished: {reason}")

    def chapters(self) -> list[Chapter]:
        """The finished chapters, every sentence with its full stop; chapters without a sentence are left out."""
        return [
            Chapter(title, ply, tuple(f"{sentence}." for sentence in sentences))
            for title, ply, sentences in self._chapters
            if sentences
        ]


def finishers(outcome: Mapping[str, Any]) -> list[int]:
    """The seats that played to the end, the best first."""
    ranks, scores = outcome["ranks"], outcome["scores"]
    return sorted((seat for seat in range(len(ranks)) if "forfeit" not in scores[seat]), key=lambda seat: ranks[seat])
