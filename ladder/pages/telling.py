"""A finished game in sentences, for people who read and for those who cannot see the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from games.base import Chapter
from games.record import replay
from games.registry import GAMES
from ladder.models import Match
from ladder.records import record_of


@dataclass(frozen=True)
class Sentence:
    """One sentence; ``seat`` is whose name it begins with, from 0."""

    text: str
    seat: int | None


@dataclass(frozen=True)
class ToldChapter:
    """A chapter on the page; ``ply`` is its anchor."""

    title: str
    ply: int
    sentences: Sequence[Sentence]


@dataclass(frozen=True)
class Told:
    """A whole game, chapter by chapter; ``plies`` is the number of steps in its record."""

    chapters: Sequence[ToldChapter]
    plies: int


def told(match: Match, names: Sequence[str]) -> Told | None:
    """The game of ``match`` as everybody at the table saw it; ``None`` while no record of it is open. One query."""
    record = record_of(match)
    if record is None:
        return None
    state = replay(record)
    story = GAMES[record["game"]].story(state.log(None), names)
    return Told(list(_anchored(story, names)), len(record["steps"]))


def _anchored(story: Iterable[Chapter], names: Sequence[str]) -> Iterable[ToldChapter]:
    """The chapters, each with a ply that no other has, so that every one of them can be linked to."""
    used: set[int] = set()
    for chapter in story:
        ply = chapter.ply
        while ply in used:
            ply += 1
        used.add(ply)
        yield ToldChapter(chapter.title, ply, [Sentence(text, _seat(text, names)) for text in chapter.sentences])


def _seat(sentence: str, names: Sequence[str]) -> int | None:
    """Whose name ``sentence`` begins with as a whole word; the longest name where one begins another."""
    starts = [seat for seat, name in enumerate(names) if _begins(sentence, name)]
    return max(starts, key=lambda seat: len(names[seat]), default=None)


def _begins(sentence: str, name: str) -> bool:
    rest = sentence.removeprefix(name)
    return rest != sentence and not (rest[:1].isalnum() or rest[:1] == "_")
