"""A finished game in sentences, for people who read and for those who cannot see the table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from ladder.exports.documents import replay_of
from ladder.models import Match

_NAME: Final = re.compile(r"\{(\d+)\}")


@dataclass(frozen=True)
class Sentence:
    """One sentence; ``seat`` is whose name it begins with, from 0.

    ``ply`` is the step it tells of, and ``first`` says that it is the first of that step, so that it can be linked to.
    ``silent`` are the steps before that nothing is told of, for links to them.
    """

    text: str
    seat: int | None
    ply: int
    first: bool
    silent: Sequence[int]


@dataclass(frozen=True)
class ToldChapter:
    """A chapter on the page; it begins with step ``ply``."""

    title: str
    ply: int
    sentences: Sequence[Sentence]


@dataclass(frozen=True)
class Told:
    """A whole game, chapter by chapter; ``plies`` is the number of steps in its record.

    ``turning_point`` is the step that turned it, with what happened then; ``None`` if none did. ``key`` is another one
    for every other text.
    """

    chapters: Sequence[ToldChapter]
    plies: int
    turning_point: Sentence | None
    key: str


def told(match: Match, names: Sequence[str]) -> Told | None:
    """The game of ``match`` as everybody at the table saw it; ``None`` while no record of it is open. One query."""
    replay = replay_of(match)
    if replay is None:
        return None
    document = json.loads(replay.json)
    chapters = list(_chapters(document, names))
    key = sha256("\0".join((replay.tag, *names)).encode()).hexdigest()
    return Told(chapters, document["steps"], _said_at(chapters, document["turning_point"]), key)


def _chapters(document: dict[str, Any], names: Sequence[str]) -> Iterator[ToldChapter]:
    """Each with its sentences; those of a step that ends one chapter and begins the next are shared out in order."""
    numbered = [(ply, place, text) for ply, some in enumerate(document["sentences"]) for place, text in enumerate(some)]
    for chapter in document["chapters"]:
        told, numbered = numbered[: chapter["sentences"]], numbered[chapter["sentences"] :]
        yield ToldChapter(
            chapter["title"],
            chapter["ply"],
            [
                Sentence(
                    with_names(names, text), begins_with(text), ply, not place, () if place else _silent(document, ply)
                )
                for ply, place, text in told
            ],
        )


def _silent(document: dict[str, Any], ply: int) -> range:
    """The steps right before ``ply`` without a sentence."""
    before = ply
    while before and not document["sentences"][before - 1]:
        before -= 1
    return range(before, ply)


def _said_at(chapters: Sequence[ToldChapter], ply: int | None) -> Sentence | None:
    """The first sentence of a step: what was done, before what follows from it."""
    said = [sentence for chapter in chapters for sentence in chapter.sentences if sentence.ply == ply]
    return said[0] if said else None


def with_names(names: Sequence[str], text: str) -> str:
    """A sentence of a replay, which calls seats ``{0}``, ``{1}`` and so on."""
    return _NAME.sub(lambda found: names[int(found[1])], text)


def begins_with(text: str) -> int | None:
    """Whose name a sentence begins with."""
    found = _NAME.match(text)
    return int(found[1]) if found else None
