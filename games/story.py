"""Move lists: games written as sentences. Shared by all games, with a plain story for games without their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.rules import FORFEIT_KEYS
from games.words import DEFAULTS, FORFEITS, listing, ordinal


@dataclass(frozen=True)
class Chapter:
    """A part of a move list with its title and sentences; ``ply`` is the step at which it begins.

    ``plies`` has one step per sentence: the step that it describes, or one of them if it describes several.
    """

    title: str
    ply: int
    sentences: tuple[str, ...]
    plies: tuple[int, ...]


class Narrative:
    """A builder of move lists. Sentences are added without a full stop, and clauses can extend the last one.

    ``step`` is the current step of the record. With ``by_step`` no sentence describes two steps.
    """

    def __init__(self, names: Sequence[str], by_step: bool = False) -> None:
        self.names = names
        self.by_step = by_step
        self.step = 0
        self._chapters: list[tuple[str, int, list[str]]] = []
        self._plies: list[list[int]] = []

    def follow(self, entry: Mapping[str, Any]) -> None:
        """Continue with ``entry``. A hidden step counts as part of the step that reveals it."""
        self.step = max(self.step, entry["ply"] - ("event" in entry))

    @property
    def in_this_step(self) -> bool:
        """Whether the last sentence describes the current step, so that it can be extended."""
        return not self.by_step or (bool(self._plies[-1]) and self._plies[-1][-1] == self.step)

    def begin(self, title: str, ply: int) -> None:
        """Begin a chapter, or retitle the current one if it has no sentence yet."""
        if self._chapters and not self._chapters[-1][2]:
            ply = self._chapters.pop()[1]
            self._plies.pop()
        self._chapters.append((title, ply, []))
        self._plies.append([])

    def retitle(self, title: str) -> None:
        """Change the title of the current chapter."""
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
        """Add a clause to the last sentence, or begin a new sentence if the last one describes another step."""
        if self.in_this_step:
            self.go_on(f"; {clause}")
        else:
            self.say(clause)

    def also(self, name: str, phrase: str) -> None:
        """Add a verb phrase to the last sentence, whose subject is ``name``, or begin a new sentence like ``add``."""
        if self.in_this_step:
            self.go_on(f" and {phrase}")
        else:
            self.say(f"{name} {phrase}")

    def named(self, seats: Sequence[int]) -> str:
        """Return the names of seats as a list in words."""
        return listing([self.names[seat] for seat in seats])

    def remark(self, step: Mapping[str, Any]) -> str:
        """Return a remark in parentheses for a forced or default move in a seat's own log, else an empty string."""
        if "default" in step:
            reason = DEFAULTS.get(step["default"], step["default"])
            return f" (default move for {self.names[step['seat']]}: {reason})"
        return " (the only legal move)" if step.get("forced") else ""

    def tell_forfeits(self, outcome: Mapping[str, Any]) -> None:
        """Add a sentence for every seat that forfeited, with its rank if it is known when the seat gave up."""
        for seat, (rank, score) in enumerate(zip(outcome["ranks"], outcome["scores"], strict=True)):
            if "forfeit" in score:
                forfeited = f"{self.names[seat]} forfeited ({FORFEITS.get(score['forfeit'], score['forfeit'])})"
                place = f"ranks {ordinal(rank)}" if "forfeit_at" in score else "ranks below all players who finished"
                self.say(f"{forfeited} and {place}")

    def tell_who_stayed(self, outcome: Mapping[str, Any]) -> None:
        """Add how a game ended early."""
        if stayed := finishers(outcome):
            self.say(f"{self.named(stayed)} wins because all other players left")
        else:
            self.tell_unfinished("All players left", outcome)

    def tell_unfinished(self, sentence: str, outcome: Mapping[str, Any]) -> None:
        """Add ``sentence`` about a game that no player finished, and the winner if it is known who left last."""
        first = winners(outcome)
        self.say(sentence)
        if "forfeit_at" in outcome["scores"][first[0]]:
            won = "forfeited last and wins" if len(first) == 1 else "forfeited last and tied for first place"
            self.go_on(f"; {self.named(first)} {won}")

    def chapters(self) -> list[Chapter]:
        """Return the chapters with complete sentences, without empty chapters."""
        return [
            Chapter(title, ply, tuple(f"{sentence}." for sentence in sentences), tuple(plies))
            for (title, ply, sentences), plies in zip(self._chapters, self._plies, strict=True)
            if sentences
        ]


def finishers(outcome: Mapping[str, Any]) -> list[int]:
    """Return the seats that finished the game, best first."""
    ranks, scores = outcome["ranks"], outcome["scores"]
    return sorted((seat for seat in range(len(ranks)) if "forfeit" not in scores[seat]), key=lambda seat: ranks[seat])


def winners(outcome: Mapping[str, Any]) -> list[int]:
    """Return the seats with rank 1."""
    return [seat for seat, rank in enumerate(outcome["ranks"]) if rank == 1]


def tell_result(narrative: Narrative, outcome: Mapping[str, Any]) -> None:
    """Add the winners, the scores and the forfeits."""
    first = winners(outcome)
    narrative.say(f"{narrative.named(first)} {'wins' if len(first) == 1 else 'share the win'}")
    for seat, score in enumerate(outcome["scores"]):
        counted = [f"{value} {key}" for key, value in score.items() if key not in FORFEIT_KEYS]
        if counted:
            narrative.say(f"{narrative.names[seat]} has {listing(counted)}")
    narrative.tell_forfeits(outcome)


def plain_story(log: Mapping[str, Any], names: Sequence[str], by_step: bool = False) -> list[Chapter]:
    """Return a move list with one sentence per step and event, built from the documents alone.

    An event ``{"type": "round", "round": 2}`` begins a chapter. Raises ``ValueError`` for a wrong number of names.
    """
    if len(names) != log["seats"]:
        raise ValueError(f"expected {log['seats']} names, one per seat, but got {len(names)}")
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
    """Return a JSON value in words. The seat of an object becomes the name of its player."""
    if isinstance(value, Mapping):
        parts = {key: names[part] if key == "seat" and type(part) is int else part for key, part in value.items()}
        return ", ".join(f"{key.replace('_', ' ')} {_written(part, names)}" for key, part in parts.items())
    if isinstance(value, list):
        return listing([_written(part, names) for part in value]) if value else "none"
    return "none" if value is None else str(value)
