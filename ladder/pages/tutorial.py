"""Tutorial page of a game: the board, the latest moves and the current lesson."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from games.game import Game
from games.registry import GAMES
from games.rules import Document, IllegalMove, Move, State
from games.story import Chapter
from games.tutorial import Grid, Lesson, Sentence, Term, Tutorial, Value
from ladder.pages.components.boards import Board
from ladder.pages.components.markup import drawn

# --- Sentences -------------------------------------------------------------------------------------------------------


def spoken(sentence: Sentence, game: Game) -> SafeString:
    """One sentence."""
    text = gettext(sentence.text)
    values = {name: _said(value) for name, value in sentence.values.items()}
    return drawn(text % values if values else text, game)


def _said(value: Value) -> int | str:
    if isinstance(value, tuple):
        return " · ".join(gettext(term) for term in value)
    return gettext(value) if isinstance(value, Term) else value


def spoken_grid(grid: Grid, game: Game) -> tuple[list[SafeString], list[list[SafeString]]]:
    """The heads and the rows of a table."""
    heads = [spoken(head, game) for head in grid.heads]
    return heads, [[spoken(cell, game) for cell in row] for row in grid.rows]


# --- Moves so far ----------------------------------------------------------------------------------------------------
#
# The server stores nothing: the URL contains all moves, so every step can be linked to and undone.

LONGEST_NUMBER: Final = 7
SEPARATOR: Final = "-"


class Lost(ValueError):
    """Moves that are not valid in this tutorial."""


@dataclass(frozen=True)
class Walk:
    """Where the moves have led: the newcomer is asked, or the part is over.

    ``met`` are the kinds of the decisions made, ``before`` is the log at the last of them, and ``scenes`` are the
    table after it, step by step, as ``docs/internals/boards.md`` has them.
    """

    state: State
    moves: tuple[int, ...]
    met: tuple[str, ...]
    before: Document
    scenes: list[Document]


def numbers(text: str, tutorial: Tutorial) -> tuple[int, ...]:
    """``"2-0-13"`` as numbers. Raises ``Lost`` for anything else, and for more than there can be."""
    parts = text.split(SEPARATOR) if text else []
    if len(parts) > tutorial.most_moves or not all(_is_number(part) for part in parts):
        raise Lost(text)
    return tuple(map(int, parts))


def _is_number(part: str) -> bool:
    return part.isascii() and part.isdigit() and len(part) <= LONGEST_NUMBER


def written(moves: tuple[int, ...]) -> str:
    """The numbers of moves as an address has them."""
    return SEPARATOR.join(map(str, moves))


def walk(tutorial: Tutorial, moves: tuple[int, ...]) -> Walk:
    """Play ``moves`` and the opponents' answers. Raises ``Lost`` when one cannot be played."""
    state = GAMES[tutorial.game].new(tutorial.seats, tutorial.seed)
    scenes = [_scene(tutorial, state, 0)]
    before = tutorial.log(state)
    met: list[str] = []
    _settle(tutorial, state, scenes)
    for number in moves:
        if tutorial.is_over(state) or not state.decision_kind:
            raise Lost(written(moves))
        met.append(state.decision_kind)
        before = tutorial.log(state)
        move = _numbered(tutorial, state, number)
        scenes = [_scene(tutorial, state, len(before["entries"]))]
        _play(tutorial, state, tutorial.seat, move, scenes)
        _settle(tutorial, state, scenes)
    return Walk(state, moves, tuple(met), before, scenes)


def number_of(tutorial: Tutorial, state: State, move: Move) -> int:
    """The place of a legal move of the newcomer."""
    return state.numbered_moves(tutorial.seat).index(move)


def _numbered(tutorial: Tutorial, state: State, number: int) -> Move:
    try:
        return state.numbered_moves(tutorial.seat)[number]
    except IndexError:
        raise Lost(str(number)) from None


def _settle(tutorial: Tutorial, state: State, scenes: list[Document]) -> None:
    """Let the opponents decide until only the newcomer is asked, or the part is over."""
    while not tutorial.is_over(state):
        asked = [seat for seat in state.pending if seat != tutorial.seat]
        if not asked:
            return
        _play(tutorial, state, asked[0], tutorial.answer(state, asked[0]), scenes)


def _play(tutorial: Tutorial, state: State, seat: int, move: Move, scenes: list[Document]) -> None:
    known = len(state.entries(tutorial.seat))
    state.play(seat, move)
    if not tutorial.is_over(state):
        scenes.append(_scene(tutorial, state, known))


def _scene(tutorial: Tutorial, state: State, known: int) -> Document:
    """The table as the newcomer sees it now; ``entries`` are those of the log from ``known`` on."""
    view = state.view(tutorial.seat)
    yous: list[Any] = [None] * tutorial.seats
    yous[tutorial.seat] = view["you"]
    entries = state.entries(tutorial.seat)
    return {
        "view": view,
        "yous": yous,
        "seat": tutorial.seat,
        "ply": entries[-1]["ply"] if entries else 0,
        "entries": entries[known:],
        "standing": None,
    }


# --- The page --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TutorialMove:
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
class RefusedOffer:
    """Why an offer was not allowed: the rule, as the engine says it, and what is wrong with this one."""

    rule: Sentence
    why: Sentence


@dataclass(frozen=True)
class TutorialPage:
    """One moment of a tutorial."""

    game: Game
    tutorial: Tutorial
    walk: Walk
    amounts: Sequence[int] = ()
    refusal: RefusedOffer | None = None

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
    def choices(self) -> list[TutorialMove]:
        return [
            TutorialMove(
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
                self.game.presentation.tokens[heap.token],
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
        before = _flat(self.game.presentation.story(self.walk.before, names)) if self.walk.moves else []
        after = _flat(self.game.presentation.story(self.tutorial.log(self.walk.state), names))
        same = next((at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), len(before))
        return after[same:]

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
        drawings = {
            "sprite": static("esr/sprite.svg"),
            "tokens": static(f"esr/drawings/{self.game.presentation.drawing}.svg"),
        }
        table = {
            "game": self.game.slug,
            "seats": self.tutorial.seats,
            "names": names,
            "tokens": dict(self.game.presentation.tokens),
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


def offered(page: TutorialPage, amounts: Sequence[int]) -> str | TutorialPage:
    """Where an offer leads, or the page that says why it is not allowed."""
    tutorial, walk = page.tutorial, page.walk
    try:
        move = walk.state.check(tutorial.seat, tutorial.offer(amounts))
    except IllegalMove as illegal:
        refusal = RefusedOffer(Sentence(illegal.rule), tutorial.why_not(walk.state, amounts))
        return TutorialPage(page.game, tutorial, walk, amounts, refusal)
    return page._after(move)


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def tutorial(request: HttpRequest, slug: str) -> HttpResponse:
    game = GAMES.get(slug)
    if game is None or game.presentation.tutorial is None:
        raise Http404(gettext("Tutorial not found."))
    try:
        page = TutorialPage(
            game,
            game.presentation.tutorial,
            walk(game.presentation.tutorial, numbers(request.GET.get("moves", ""), game.presentation.tutorial)),
        )
    except Lost:
        raise Http404(gettext("This link contains invalid moves. Restart the tutorial from the rules page.")) from None
    amounts = None if page.over else _amounts(request, [heap.token for heap in page.lesson.heaps])
    if amounts is not None:
        offer = offered(page, amounts)
        if isinstance(offer, str):
            return _moved(request, offer)
        page = offer
    return render(request, "pages/tutorial.html", {"page": page})


def _moved(request: HttpRequest, address: str) -> HttpResponse:
    """Redirect to the next decision. htmx requests it and swaps it in."""
    if "HX-Request" not in request.headers:
        return redirect(address)
    part = "#tutorial"
    swapped = {"path": address, "target": part, "select": part, "swap": "outerHTML"}
    return HttpResponse(headers={"HX-Location": json.dumps(swapped)})


def _amounts(request: HttpRequest, tokens: Sequence[str]) -> list[int] | None:
    """What an offer names, where one was sent; what is not a small number counts as none."""
    if not any(token in request.GET for token in tokens):
        return None
    sent = [request.GET.get(token, "") for token in tokens]
    return [int(text) if text.isascii() and text.isdigit() and len(text) < 3 else 0 for text in sent]
