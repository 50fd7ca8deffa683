"""A finished game as one document, ``replay/1``, from which all positions can be drawn.

See ``docs/guides/replays.md``.

The document has no names, so it stays the same when players are renamed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from games.outcomes import shown_outcome, when_left
from games.record import replay
from games.registry import GAMES
from games.rules import Document, State
from games.story import Chapter

FORMAT: Final = "replay/1"


def replay_document(record: Mapping[str, Any]) -> Document:
    """All moments of a finished game, as patches from one to the next. Raises ``RecordError`` for a bad record.

    A game that ended early stops at the table that was there then. In its sentences ``{0}`` stands for the name of
    seat 0, and so on.
    """
    state = replay(record)
    left, outcome = when_left(state), shown_outcome(state)
    shown = left or state
    steps = list(frames(shown))
    log = {**shown.log(None), "outcome": outcome}
    game = GAMES[record["game"]]
    chapters = game.presentation.story(log, named(record["seats"]), by_step=True)
    return {
        "format": FORMAT,
        "game": record["game"],
        "rules": record["rules"],
        "seats": record["seats"],
        "steps": len(steps),
        "first": steps[0].table,
        "changes": [None, *(patch(old.table, new.table) for old, new in pairwise(steps))],
        "entries": [step.entries for step in steps],
        "chapters": [_chapter(chapter, len(steps)) for chapter in chapters],
        "sentences": _by_step(chapters, len(steps)),
        "turning_point": None if left else game.statistics.turning_point(state),
        "outcome": outcome,
    }


def named(seats: int) -> list[str]:
    """What stands for the names of the seats in sentences that go to everybody."""
    return [f"{{{seat}}}" for seat in range(seats)]


def _chapter(chapter: Chapter, steps: int) -> Document:
    """A chapter begins with the step that its first sentence tells of: a round is dealt by what ends the one before."""
    return {
        "title": chapter.title,
        "ply": min(chapter.plies[0], steps - 1),
        "sentences": len(chapter.sentences),
    }


def _by_step(chapters: Sequence[Chapter], steps: int) -> list[list[str]]:
    """The sentences of every step, in order; those that come after the last one are the last one's."""
    told: list[list[str]] = [[] for _ in range(steps)]
    for chapter in chapters:
        for sentence, ply in zip(chapter.sentences, chapter.plies, strict=True):
            told[min(ply, steps - 1)].append(sentence)
    return told


# --- Frames ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """The table after step ``ply`` of the record, and after what followed from it.

    ``view`` is what all see, ``yous`` by seat what it alone knows. ``entries`` are what a spectator's log has gained:
    the step, unless it is hidden, those that it reveals, and the events that followed. Chance that nobody is asked
    about comes with the step before it: their tables are the same, their entries each one's own.
    """

    ply: int
    view: Document
    yous: list[Document]
    entries: list[Document]

    @property
    def table(self) -> Document:
        """What a frame differs in from the one before."""
        return {"view": self.view, "yous": self.yous}


def frames(state: State) -> Iterator[Frame]:
    """One frame a step of the record of ``state``, in order; the first are those of the deal."""
    told = 0
    first = 0
    for last, moment in state.retraced():
        known = moment.entries(None, told)
        told += len(known)
        view = moment.view(None)
        yous = [moment.view(seat)["you"] for seat in range(moment.seats)]
        for ply in range(first, last + 1):
            entries = [entry for entry in known if min(max(_cause(entry), first), last) == ply]
            yield Frame(ply, view, yous, entries)
        first = last + 1


def _cause(entry: Document) -> int:
    """The step that an entry came with."""
    ply: int = entry["ply"]
    return ply if "step" in entry else ply - 1


# --- Patches ---------------------------------------------------------------------------------------------------------

Patch = list[Any] | dict[str, Any] | None
"""What changes from one JSON value to the next, small enough to send for every step.

``[value]`` replaces the old value. An object goes into an object or a list: it has one patch for each key or index that
changes; for a list, ``"+"`` has the appended items and ``"-"`` the new length. ``None`` means that nothing changes.
"""


def patch(old: Any, new: Any) -> Patch:
    """What makes ``new`` of ``old``."""
    if type(old) is type(new) is dict and old.keys() == new.keys():
        return _within({key: patch(old[key], new[key]) for key in old})
    if type(old) is type(new) is list and old and new:
        return _of_list(old, new)
    return None if type(old) is type(new) and old == new else [new]


def _of_list(old: list[Any], new: list[Any]) -> Patch:
    """A list is patched in place unless nothing of it stays."""
    common = min(len(old), len(new))
    changes = {str(place): patch(old[place], new[place]) for place in range(common)}
    if common and all(type(change) is list for change in changes.values()):
        return [new]
    inside = _within(changes) or {}
    if len(new) > common:
        inside["+"] = new[common:]
    elif len(old) > common:
        inside["-"] = common
    return inside or None


def _within(changes: dict[str, Patch]) -> dict[str, Any] | None:
    return {key: change for key, change in changes.items() if change is not None} or None


def patched(old: Any, change: Patch) -> Any:
    """``old`` as ``change`` makes it; what does not change is shared, and nothing is written to."""
    if change is None:
        return old
    if isinstance(change, list):
        return change[0]
    if isinstance(old, dict):
        return {**old, **{key: patched(old[key], inside) for key, inside in change.items()}}
    new = old[: change["-"]] if "-" in change else list(old)
    for place, inside in change.items():
        if place not in ("+", "-"):
            new[int(place)] = patched(new[int(place)], inside)
    return new + change.get("+", [])
