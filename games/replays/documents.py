"""The document of a replay, ``replay/1``. It holds no names, so it is the same for ever, whoever is renamed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from games.base import Chapter, Document
from games.outcomes import shown_outcome, when_left
from games.record import replay
from games.registry import GAMES
from games.replays.frames import frames
from games.replays.patches import patch

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
    chapters = GAMES[record["game"]].story(log, named(record["seats"]), by_step=True)
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
        "turning_point": None if left else state.game.turning_point(state),
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
