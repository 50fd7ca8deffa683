"""What the stories of all games have in common: chapters, sentences, and how a game ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.base import Chapter
from games.words import DEFAULTS, FORFEITS, listing


class Telling:
    """A story in the making; sentences come without their full stop, and clauses may be added to the last one.

    ``step`` is the step of the record that is being told of. With ``by_step`` no sentence tells of two.
    """

    def __init__(self, names: Sequence[str], by_step: bool = False) -> None:
        self.names = names
        self.by_step = by_step
        self.step = 0
        self._chapters: list[tuple[str, int, list[str]]] = []
        self._plies: list[list[int]] = []

    def follow(self, entry: Mapping[str, Any]) -> None:
        """The entry that is told next; a step that was hidden belongs to the one that reveals it."""
        self.step = max(self.step, entry["ply"] - ("event" in entry))

    @property
    def in_this_step(self) -> bool:
        """Whether the last sentence tells of the step that is being told of, so that it may go on."""
        return not self.by_step or (bool(self._plies[-1]) and self._plies[-1][-1] == self.step)

    def begin(self, title: str, ply: int) -> None:
        """Begin a chapter; one that has no sentence yet only changes its title."""
        if self._chapters and not self._chapters[-1][2]:
            ply = self._chapters.pop()[1]
            self._plies.pop()
        self._chapters.append((title, ply, []))
        self._plies.append([])

    def retitle(self, title: str) -> None:
        """Give the chapter that is going on another title."""
        _, ply, sentences = self._chapters[-1]
        self._chapters[-1] = (title, ply, sentences)

    def say(self, sentence: str) -> None:
        """Begin a new sentence, without its full stop."""
        self._chapters[-1][2].append(sentence)
        self._plies[-1].append(self.step)

    def go_on(self, text: str) -> None:
        """Continue the last sentence."""
        self._chapters[-1][2][-1] += text

    def add(self, clause: str) -> None:
        """Add a clause to the last sentence, or say it in one of its own where that tells of another step."""
        if self.in_this_step:
            self.go_on(f"; {clause}")
        else:
            self.say(clause)

    def named(self, seats: Sequence[int]) -> str:
        """The names of seats, listed."""
        return listing([self.names[seat] for seat in seats])

    def remark(self, step: Mapping[str, Any]) -> str:
        """What a seat's own log knows of a forced or defaulted move, in parentheses; ``""`` of any other move."""
        if "default" in step:
            reason = DEFAULTS.get(step["default"], step["default"])
            return f" ({self.names[step['seat']]} plays the default: {reason})"
        return " (nothing else is possible)" if step.get("forced") else ""

    def tell_forfeits(self, scores: Sequence[Mapping[str, Any]]) -> None:
        """A sentence for every seat that lost without playing to the end."""
        for seat, score in enumerate(scores):
            if "forfeit" in score:
                reason = FORFEITS.get(score["forfeit"], score["forfeit"])
                self.say(f"{self.names[seat]} has forfeited and ranks behind all who finished: {reason}")

    def tell_who_stayed(self, seats: Sequence[int]) -> None:
        """Tell how a game ended early. ``seats`` are those that have not left."""
        self.say(f"{self.named(seats)} wins: everybody else has left" if seats else "Everybody has left")

    def chapters(self) -> list[Chapter]:
        """The finished chapters, every sentence with its full stop; chapters without a sentence are left out."""
        return [
            Chapter(title, ply, tuple(f"{sentence}." for sentence in sentences), tuple(plies))
            for (title, ply, sentences), plies in zip(self._chapters, self._plies, strict=True)
            if sentences
        ]


def finishers(outcome: Mapping[str, Any]) -> list[int]:
    """The seats that played to the end, the best first."""
    ranks, scores = outcome["ranks"], outcome["scores"]
    return sorted((seat for seat in range(len(ranks)) if "forfeit" not in scores[seat]), key=lambda seat: ranks[seat])
