"""What the page of a tutorial shows: the table, what has just happened, and what to think of now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString

from games.base import Chapter, Game, IllegalMove, Move
from games.tutoring import Lesson, Sentence, Tutorial
from ladder.pages.boards import Board
from ladder.pages.tutoring.speaking import spoken, spoken_grid
from ladder.pages.tutoring.walking import Walk, number_of, written


@dataclass(frozen=True)
class Choice:
    """A move that is one click away."""

    address: str
    label: SafeString
    meaning: SafeString
    advised: bool


@dataclass(frozen=True)
class Pile:
    """How many of one token are named in an offer."""

    token: str
    drawn: SafeString
    word: str
    held: int
    standing: int
    chosen: int


@dataclass(frozen=True)
class Refusal:
    """Why an offer was not allowed: the rule, as the engine says it, and what is wrong with this one."""

    rule: Sentence
    why: Sentence


@dataclass(frozen=True)
class Page:
    """One moment of a tutorial."""

    game: Game
    tutorial: Tutorial
    walk: Walk
    amounts: Sequence[int] = ()
    refusal: Refusal | None = None

    def _spoken(self, sentences: Sequence[Sentence]) -> list[SafeString]:
        return [spoken(sentence, self.game) for sentence in sentences]

    @property
    def over(self) -> bool:
        return self.tutorial.is_over(self.walk.state)

    @property
    def moves(self) -> str:
        return written(self.walk.moves)

    @property
    def address(self) -> str:
        return reverse("pages:tutorial", args=[self.game.slug])

    @property
    def back(self) -> str:
        """Where one decision less was made."""
        return self._at(self.walk.moves[:-1])

    @property
    def progress(self) -> tuple[int, int]:
        return self.tutorial.progress(self.walk.state)

    @property
    def place(self) -> SafeString:
        return spoken(self.tutorial.place(self.walk.state), self.game)

    @property
    def house(self) -> str:
        """The newcomer's name at the table."""
        return self.tutorial.names[self.tutorial.seat]

    @property
    def welcome(self) -> list[SafeString]:
        return [] if self.walk.moves else self._spoken(self.tutorial.welcome)

    @cached_property
    def lesson(self) -> Lesson:
        return self.tutorial.lesson(self.walk.state, self.walk.met)

    @property
    def title(self) -> SafeString:
        return spoken(self.lesson.title, self.game)

    @property
    def introduction(self) -> list[SafeString]:
        return self._spoken(self.lesson.introduction)

    @property
    def hints(self) -> list[SafeString]:
        return self._spoken(self.lesson.hints)

    @property
    def advice(self) -> SafeString:
        return spoken(self.lesson.advice, self.game)

    @property
    def choices(self) -> list[Choice]:
        return [
            Choice(
                self._after(option.move),
                spoken(option.label, self.game),
                spoken(option.meaning, self.game),
                option.move == self.lesson.advised,
            )
            for option in self.lesson.options
        ]

    @property
    def piles(self) -> list[Pile]:
        """What an offer is made of; it begins with nothing, or with what was refused."""
        chosen = self.amounts or [0] * len(self.lesson.heaps)
        return [
            Pile(
                heap.token,
                spoken(Sentence(f"{{{heap.token}}}"), self.game),
                self.game.tokens[heap.token],
                heap.held,
                heap.standing,
                count,
            )
            for heap, count in zip(self.lesson.heaps, chosen, strict=True)
        ]

    @property
    def can_offer(self) -> bool:
        return any(heap.held for heap in self.lesson.heaps)

    @property
    def topping(self) -> bool:
        """Whether there is an offer to be topped."""
        return any(heap.standing for heap in self.lesson.heaps)

    @property
    def refused(self) -> list[SafeString]:
        """What was wrong with an offer, for a person and as the rule has it."""
        return self._spoken([self.refusal.why, self.refusal.rule]) if self.refusal else []

    @property
    def happened(self) -> list[str]:
        """The sentences of what has come since the newcomer's last decision."""
        names = self.tutorial.names
        before = _flat(self.game.story(self.walk.before, names)) if self.walk.moves else []
        told = _flat(self.game.story(self.tutorial.log(self.walk.state), names))
        same = next((at for at, (old, new) in enumerate(zip(before, told, strict=False)) if old != new), len(before))
        return told[same:]

    @property
    def grid(self) -> tuple[list[SafeString], list[list[SafeString]]]:
        return spoken_grid(self.tutorial.grid(self.walk.state), self.game)

    @cached_property
    def closing(self) -> Mapping[str, Any]:
        grid, sentences = self.tutorial.closing(self.walk.state)
        heads, rows = spoken_grid(grid, self.game)
        lead, *reasons = self._spoken(sentences)
        return {"heads": heads, "rows": rows, "lead": lead, "reasons": reasons}

    @property
    def board(self) -> Board:
        return Board(self.game)

    @property
    def played(self) -> Mapping[str, Any]:
        """What the drawing of the table is given: who sits there, and the scenes since the last decision."""
        names = list(self.tutorial.names)
        labels = [{"name": name, "version": None, "rating": None, "href": ""} for name in names]
        drawings = {"sprite": static("esr/sprite.svg"), "tokens": static(f"esr/drawings/{self.game.drawing}.svg")}
        table = {
            "game": self.game.slug,
            "seats": self.tutorial.seats,
            "names": names,
            "tokens": dict(self.game.tokens),
            "labels": labels,
            "drawings": drawings,
        }
        return {"table": table, "scenes": self.walk.scenes}

    def _after(self, move: Move) -> str:
        return self._at((*self.walk.moves, number_of(self.tutorial, self.walk.state, move)))

    def _at(self, moves: tuple[int, ...]) -> str:
        return f"{self.address}?moves={written(moves)}#now" if moves else self.address


def _flat(chapters: Sequence[Chapter]) -> list[str]:
    return [sentence for chapter in chapters for sentence in chapter.sentences]


def offered(page: Page, amounts: Sequence[int]) -> str | Page:
    """Where an offer leads, or the page that says why it is not allowed."""
    tutorial, walk = page.tutorial, page.walk
    try:
        move = walk.state.check(tutorial.seat, tutorial.offer(amounts))
    except IllegalMove as illegal:
        refusal = Refusal(Sentence(illegal.rule), tutorial.why_not(walk.state, amounts))
        return Page(page.game, tutorial, walk, amounts, refusal)
    return page._after(move)
