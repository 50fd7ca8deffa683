"""A finished game as one document (``replay/1``) that contains every position for drawing.

``docs/reference/replay.md`` describes it. The document has no names, so it stays valid when players are renamed.
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
    """Return all positions of a finished game as patches. Raises ``RecordError`` for an invalid record.

    If the game ended early, the document ends with the position at that time. In its sentences, ``{0}`` is a
    placeholder for the name of seat 0, and so on.
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
    """Return the placeholders for the names of the seats in sentences: ``{0}``, ``{1}``, and so on."""
    return [f"{{{seat}}}" for seat in range(seats)]


def _chapter(chapter: Chapter, steps: int) -> Document:
    """Return a chapter. It begins with the step of its first sentence, because the step before deals the round."""
    return {
        "title": chapter.title,
        "ply": min(chapter.plies[0], steps - 1),
        "sentences": len(chapter.sentences),
    }


def _by_step(chapters: Sequence[Chapter], steps: int) -> list[list[str]]:
    """Return the sentences of every step, in order. Sentences after the last step belong to the last step."""
    sentences: list[list[str]] = [[] for _ in range(steps)]
    for chapter in chapters:
        for sentence, ply in zip(chapter.sentences, chapter.plies, strict=True):
            sentences[min(ply, steps - 1)].append(sentence)
    return sentences


# --- Frames ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """The position after step ``ply`` of the record and after its consequences.

    ``view`` is the spectator's view, ``yous`` the private part of each seat. ``entries`` are the new entries of the
    spectator's log: the step unless it is hidden, steps that it reveals, and the events that followed. Chance steps
    without a decision come with the step before them: they have the same position, but their own entries.
    """

    ply: int
    view: Document
    yous: list[Document]
    entries: list[Document]

    @property
    def table(self) -> Document:
        """The part of a frame that is compared with the frame before it."""
        return {"view": self.view, "yous": self.yous}


def frames(state: State) -> Iterator[Frame]:
    """Yield one frame per step of the record of ``state``, in order, beginning with the deal."""
    entries_read = 0
    first = 0
    for last, moment in state.retraced():
        known = moment.entries(None, entries_read)
        entries_read += len(known)
        view = moment.view(None)
        yous = [moment.view(seat)["you"] for seat in range(moment.seats)]
        for ply in range(first, last + 1):
            entries = [entry for entry in known if min(max(_cause(entry), first), last) == ply]
            yield Frame(ply, view, yous, entries)
        first = last + 1


def _cause(entry: Document) -> int:
    """Return the step that produced an entry."""
    ply: int = entry["ply"]
    return ply if "step" in entry else ply - 1


# --- Patches ---------------------------------------------------------------------------------------------------------

Patch = list[Any] | dict[str, Any] | None
"""The difference between two JSON values, small enough to be sent for every step.

``[value]`` replaces the old value. An object changes an object or a list: it has one patch for each key or index that
changes; for a list, ``"+"`` contains the appended items and ``"-"`` the new length. ``None`` means no change.
"""


def patch(old: Any, new: Any) -> Patch:
    """Return the patch that changes ``old`` to ``new``."""
    if type(old) is type(new) is dict and old.keys() == new.keys():
        return _within({key: patch(old[key], new[key]) for key in old})
    if type(old) is type(new) is list and old and new:
        return _of_list(old, new)
    return None if type(old) is type(new) and old == new else [new]


def _of_list(old: list[Any], new: list[Any]) -> Patch:
    """Return the patch of a list. Replace the whole list if no item stays."""
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
    """Return ``old`` changed by ``change``. Unchanged parts are shared; ``old`` itself does not change."""
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
