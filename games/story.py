"""Games told in sentences: what the stories of all games share, and the story of a game that has none of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.words import DEFAULTS, FORFEITS, listing


@dataclass(frozen=True)
class Chapter:
    """A part of a told game: its title and its sentences, in order; ``ply`` is the step at which it begins.

    ``plies`` has, for every sentence, the step that it tells of, or one of them if it tells of several.
    """

    title: str
    ply: int
    sentences: tuple[str, ...]
    plies: tuple[int, ...]


class Narrative:
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


def tell_result(narrative: Narrative, outcome: Mapping[str, Any]) -> None:
    """Tell who won, who forfeited, and what everybody scored."""
    first = [seat for seat, rank in enumerate(outcome["ranks"]) if rank == 1]
    narrative.say(f"{narrative.named(first)} {'wins' if len(first) == 1 else 'share the win'}")
    for seat, score in enumerate(outcome["scores"]):
        counted = [f"{value} {key}" for key, value in score.items() if key != "forfeit"]
        if counted:
            narrative.say(f"{narrative.names[seat]} has {listing(counted)}")
    narrative.tell_forfeits(outcome["scores"])


def plain_story(log: Mapping[str, Any], names: Sequence[str], by_step: bool = False) -> list[Chapter]:
    """One sentence per step and per event, as the documents have them.

    An event ``{"type": "round", "round": 2}`` begins a chapter. Raises ``ValueError`` for a wrong number of names.
    """
    if len(names) != log["seats"]:
        raise ValueError(f"a game of {log['seats']} seats needs as many names, not {len(names)}")
    narrative = Narrative(names, by_step)
    narrative.begin("Start", 0)
    for entry in log["entries"]:
        narrative.follow(entry)
        if "step" in entry:
            _tell_step(narrative, entry["step"])
        elif entry["event"]["type"] == "round":
            narrative.begin(f"Round {entry['event']['round']}", entry["ply"])
            narrative.say(_written({key: part for key, part in entry["event"].items() if key != "type"}, names))
        else:
            narrative.say(_written(entry["event"], names))
    if log["outcome"] is not None:
        tell_result(narrative, log["outcome"])
    return narrative.chapters()


def _tell_step(narrative: Narrative, step: Mapping[str, Any]) -> None:
    if "chance" in step:
        narrative.say(_written(step, narrative.names))
    else:
        move = f"{step['decision']} {_written(step['move'], narrative.names)}".replace("_", " ")
        narrative.say(f"{narrative.names[step['seat']]}: {move}{narrative.remark(step)}")


def _written(value: Any, names: Sequence[str]) -> str:
    """A JSON value in words; the seat of an object is the name of its player."""
    if isinstance(value, Mapping):
        parts = {key: names[part] if key == "seat" and type(part) is int else part for key, part in value.items()}
        return ", ".join(f"{key.replace('_', ' ')} {_written(part, names)}" for key, part in parts.items())
    if isinstance(value, list):
        return listing([_written(part, names) for part in value]) if value else "none"
    return "none" if value is None else str(value)
