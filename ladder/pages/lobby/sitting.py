"""The table of a seat, for the person who sits there: what the drawing is told, and the same in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop, ngettext

from games.base import Document, Game
from games.registry import GAMES
from games.replays.documents import named
from ladder.live.person_view import present
from ladder.live.position import Position
from ladder.live.rows import position_of
from ladder.models import Block, Chair, Match
from ladder.pages.boards import PLAIN, Board, table
from ladder.pages.lobby.moves import Question, question
from ladder.pages.lobby.talk import LONGEST, presets, talk_of
from ladder.pages.lobby.words import limits_said
from ladder.pages.matches import names, seats_shown
from ladder.pages.running import Round
from ladder.pages.sat import outages_said
from ladder.pages.telling import begins_with, with_names
from ladder.pages.words import enumerated, span

_LIVE: Final = "/api/v1/games"
"""Where the roads of live games begin; they belong to the API."""

_HERE: Final = {
    "away": gettext_noop("%(name)s is away; the clock goes on."),
    "stand-in": gettext_noop("A house bot plays for %(name)s, who can come back."),
    "left": gettext_noop("%(name)s has left the table."),
}


@dataclass(frozen=True)
class Composer:
    """The module in which decisions of a game are put together, and its style sheet: its own, or the plain one."""

    game: Game

    @property
    def name(self) -> str:
        board = self.game.board
        return board if board and finders.find(f"esr/composers/{board}.js") else PLAIN

    @property
    def module(self) -> str:
        return static(f"esr/composers/{self.name}.js")

    @property
    def sheet(self) -> str:
        """Empty where it has none of its own."""
        path = f"esr/composers/{self.name}.css"
        return static(path) if finders.find(path) else ""


@dataclass(frozen=True)
class SittingPage:
    """One seat's table while the game runs. Nothing in it is known to the other seats alone."""

    match: Match
    seat: int
    position: Position
    person: Any

    @property
    def game(self) -> Game:
        return GAMES[self.match.ladder.game]

    @property
    def rated(self) -> bool:
        return self.match.block.purpose == Block.Purpose.LIVE

    @cached_property
    def names(self) -> list[str]:
        return names(list(self.match.seats.all()))

    @property
    def title(self) -> str:
        others = [name for seat, name in enumerate(self.names) if seat != self.seat]
        return gettext("Your table with %(names)s") % {"names": enumerated(others)}

    @property
    def clock(self) -> str:
        """``45 s a decision, 3 min bank``."""
        return limits_said(self.position.limits)

    @property
    def address(self) -> str:
        return reverse("pages:sit", args=[self.match.pk])

    @property
    def addresses(self) -> Mapping[str, str]:
        """The roads of this seat."""
        game = f"{_LIVE}/{self.match.pk}"
        return {
            "stream": f"{game}/seat/stream",
            "decisions": f"{game}/decisions/",
            "actions": f"{game}/seat/",
            "viewers": f"{game}/viewers",
        }

    @property
    def board(self) -> Board:
        return Board(self.game)

    @property
    def composer(self) -> Composer:
        return Composer(self.game)

    @property
    def table(self) -> dict[str, Any]:
        """What ``mount`` of a board gets; ``order`` has the own seat last."""
        seats = list(self.match.seats.all())
        count = len(seats)
        order = [(self.seat + 1 + place) % count for place in range(count)]
        return {**table(self.game, seats, self.names), "order": order, "seat": self.seat}

    @property
    def talk(self) -> str:
        """``lines``, ``presets``, ``off`` for who has switched it off, empty for guests."""
        people = sum(chair.kind in Chair.OF_PEOPLE for chair in self.position.chairs)
        return talk_of(self.person, self.rated, people)

    @property
    def presets(self) -> Sequence[tuple[str, str]]:
        return presets()

    @property
    def longest_line(self) -> int:
        return LONGEST

    # --- as text ---------------------------------------------------------------------------------------------------

    @cached_property
    def present(self) -> Document:
        return present(self.position, self.seat)

    @property
    def answer(self) -> Question | None:
        """What is asked of the seat now."""
        asked, number = self.present["question"], self.present["decision"]
        return None if asked is None else question(self.game, number, asked)

    @property
    def state(self) -> list[str]:
        """How it stands, in sentences."""
        return list(self._state())

    def _state(self) -> Iterator[str]:
        if self.present["question"] is not None:
            clock = self.present["clock"] or {}
            yield gettext("It is your turn: %(left)s are left.") % {"left": span(clock.get("left_ms", 0) / 1000)}
        elif waited := [self.names[seat] for seat in self.present["waiting"] if seat != self.seat]:
            yield gettext("Waiting for %(names)s.") % {"names": enumerated(waited)}
        elif self.present["running"]:
            yield gettext("It goes on in a moment.")
        for seat, name in enumerate(self.names):
            said = _HERE.get(self.present["here"][seat])
            if said and seat != self.seat:
                yield gettext(said) % {"name": name}
        if self.present["outage_ms"]:
            yield outages_said(self.present["outage_ms"])
        if self.present["rights"]["return"]:
            yield gettext("A house bot plays in your chair. Take it back: that is possible once.")

    @property
    def acts(self) -> list[tuple[str, str]]:
        """What the seat may do beside playing, with the words of the buttons."""
        rights = self.present["rights"]
        abort, agreed = rights["abort"], len(rights["abort"]["agreed"])
        said = ngettext("%(count)s agrees", "%(count)s agree", agreed) % {"count": agreed}
        offered = [
            ("return", rights["return"], gettext("Take my chair back")),
            ("claim", rights["claim"], gettext("Claim the game: the others have been away for a minute")),
            ("abort", abort["allowed"], gettext("Abort the game: it ends without a result")),
            (
                "abort",
                abort["agree"] and not abort["allowed"],
                gettext("Agree to abort the game (%(agreed)s)") % {"agreed": said},
            ),
            ("resign", rights["resign"], _resign_said(rights["resigning"])),
        ]
        return [(act, words) for act, allowed, words in offered if allowed]

    @property
    def rounds(self) -> list[Round]:
        """What has happened so far as the seat knows it, the newest round first."""
        log = self.position.shown_to(self.seat).log(self.seat)
        chapters = GAMES[self.match.ladder.game].story(log, named(len(self.names)))
        return [
            Round(chapter.title, [(begins_with(text), with_names(self.names, text)) for text in chapter.sentences])
            for chapter in reversed(chapters)
        ]


def _resign_said(resigning: str) -> str:
    if resigning == "aborted":
        return gettext("Resign: the game ends without a result")
    return gettext("Resign: you finish last")


def sitting_page(match_id: int, seat: int, person: Any) -> SittingPage:
    """The page of ``seat`` at a running live game; six queries. Raises ``Match.DoesNotExist``."""
    shown = Match.objects.select_related("ladder", "block").prefetch_related(seats_shown())
    match = shown.get(pk=match_id, table__isnull=False)
    return SittingPage(match, seat, position_of(match), person)
