"""The page of a live table for a person who plays there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import orjson
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from games.game import Game
from games.registry import GAMES
from games.rules import Document, Move
from ladder.access import match_seen_by
from ladder.chat import LONGEST, PRESETS
from ladder.live import actions, presence
from ladder.live.answers import AnswerVerdict, JudgedAnswer, answer_seat
from ladder.live.clocks import BEAT_MS
from ladder.live.person_view import ROUNDS, present
from ladder.live.position import Position
from ladder.live.rows import position_of
from ladder.matchmaking.guests import guest_at
from ladder.matchmaking.proposals import call_off
from ladder.matchmaking.proposals import rematch as play_again
from ladder.models import Block, LiveSeat, Match
from ladder.pages.components.boards import PLAIN, Board, table
from ladder.pages.components.people import person_of, secret_of
from ladder.pages.components.responses import limit_actions
from ladder.pages.components.words import enumerated, span
from ladder.pages.lobby_forms import limits_text
from ladder.pages.match import RoundText, outages_said, rounds_told
from ladder.pages.matches import names, seats_shown

# --- Chat ------------------------------------------------------------------------------------------------------------


def talk_of(person: User | None, rated: bool, people: int) -> str:
    """The chat of a player: ``lines``, ``presets`` in rated games, ``off`` if they have turned it off, or empty.

    It is empty for guests, and if ``people``, the number of people with an account at the table, is 1.
    """
    if person is None or people < 2:
        return ""
    if not person.chat:
        return "off"
    return "presets" if rated else "lines"


def presets() -> Sequence[tuple[str, str]]:
    """The preset messages by name, in the reader's language."""
    return [(name, str(text)) for name, text in PRESETS.items()]


# --- Moves as a form -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SeatQuestion:
    """The decision of a seat: ``moves`` as values of the form with their labels; empty if there are too many."""

    number: int
    asked: str
    moves: Sequence[tuple[str, str]]
    default: str
    bounds: str


def question(game: Game, number: int, decision: Mapping[str, Any]) -> SeatQuestion:
    """The form for decision ``number`` of a seat, from the game's decision document."""
    legal = decision.get("legal") or []
    return SeatQuestion(
        number=number,
        asked=gettext("Your decision: %(kind)s") % {"kind": _word(game, str(decision["kind"]))},
        moves=[(as_json(move), move_label(game, move)) for move in legal],
        default=as_json(decision["default"]),
        bounds=_bounds(game, decision),
    )


def as_json(move: Move) -> str:
    """A move as JSON."""
    return orjson.dumps(move).decode()


def move_label(game: Game, move: Move) -> str:
    """A move as text: ``money``; ``offer: 2 green``; ``cards: O8, B9``."""
    if isinstance(move, str):
        return _word(game, move)
    return "; ".join(f"{_word(game, key)}: {_value(game, value)}" for key, value in move.items())


def _value(game: Game, value: object) -> str:
    if isinstance(value, str):
        return _word(game, value)
    if not isinstance(value, list):
        return str(value)
    if value and all(isinstance(count, int) for count in value) and len(value) > 2:
        return _piles(game, value)
    return ", ".join(_value(game, part) for part in value)


def _piles(game: Game, counts: Sequence[int]) -> str:
    """Counts by token, in the order in which a game names its tokens."""
    named = [
        f"{count} {gettext(word)}"
        for count, word in zip(counts, game.presentation.tokens.values(), strict=False)
        if count
    ]
    return ", ".join(named) or "0"


def _word(game: Game, code: str) -> str:
    known = game.presentation.tokens.get(code)
    return gettext(known) if known else code.replace("_", " ")


def _bounds(game: Game, decision: Document | Mapping[str, Any]) -> str:
    """The player's holdings, if the decision has them."""
    held = decision.get("holdings")
    return gettext("You have: %(piles)s.") % {"piles": _piles(game, held)} if held else ""


# --- The page --------------------------------------------------------------------------------------------------------

_LIVE: Final = "/api/v1/matches"
"""The prefix of the API's endpoints of a match."""

_HERE: Final = {
    "away": gettext_noop("%(name)s is offline. The clock is still running."),
    "substitute": gettext_noop("A substitute bot plays for %(name)s. The player can return."),
    "left": gettext_noop("%(name)s has left the game."),
}


@dataclass(frozen=True)
class Composer:
    """The JavaScript module and the style sheet for the moves of a game: its own or the plain ones."""

    game: Game

    @property
    def name(self) -> str:
        board = self.game.presentation.board
        return board if board and finders.find(f"esr/composers/{board}.js") else PLAIN

    @property
    def script(self) -> str:
        """The name of the module."""
        return f"esr/composers/{self.name}.js"

    @property
    def module(self) -> str:
        return static(self.script)

    @property
    def sheet(self) -> str:
        """The URL of the style sheet, or empty."""
        path = f"esr/composers/{self.name}.css"
        return static(path) if finders.find(path) else ""


@dataclass(frozen=True)
class TablePage:
    """A running game as one seat sees it. It contains nothing that only other seats know."""

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
        return gettext("Your game with %(names)s") % {"names": enumerated(others)}

    @property
    def clock(self) -> str:
        """``45 s per decision, 3 min time bank``."""
        return limits_text(self.position.limits)

    @property
    def address(self) -> str:
        return reverse("pages:live_table", args=[self.match.pk])

    @property
    def addresses(self) -> Mapping[str, str]:
        """The API endpoints of this seat."""
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
        """The argument of a board's ``mount``. In ``order`` the own seat is last."""
        seats = list(self.match.seats.all())
        count = len(seats)
        order = [(self.seat + 1 + place) % count for place in range(count)]
        beats = {"kinds": dict(self.game.presentation.beats), "ms": dict(BEAT_MS)}
        return {**table(self.game, seats, self.names), "order": order, "seat": self.seat, "beats": beats}

    @property
    def talk(self) -> str:
        """As :func:`talk_of`."""
        live_seats = self.position.live_seats
        people = sum(live_seat.kind in LiveSeat.OF_PEOPLE and not live_seat.guest for live_seat in live_seats)
        return talk_of(self.person, self.rated, people)

    @property
    def presets(self) -> Sequence[tuple[str, str]]:
        return presets()

    @property
    def longest_line(self) -> int:
        return LONGEST

    # --- Text view -------------------------------------------------------------------------------------------------

    @cached_property
    def present(self) -> Document:
        return present(self.position, self.seat)

    @property
    def answer(self) -> SeatQuestion | None:
        """The open decision of the seat, if any."""
        asked, number = self.present["question"], self.present["decision"]
        return None if asked is None else question(self.game, number, asked)

    @property
    def state(self) -> list[str]:
        """The current state in sentences."""
        return list(self._state())

    def _state(self) -> Iterator[str]:
        if self.present["question"] is not None:
            clock = self.present["clock"] or {}
            yield gettext("Your turn: %(left)s left.") % {"left": span(clock.get("left_ms", 0) / 1000)}
        elif waited := [self.names[seat] for seat in self.present["waiting"] if seat != self.seat]:
            yield gettext("Waiting for %(names)s.") % {"names": enumerated(waited)}
        elif self.present["running"]:
            yield gettext("The game continues in a moment.")
        for seat, name in enumerate(self.names):
            text = _HERE.get(self.present["here"][seat])
            if text and seat != self.seat:
                yield gettext(text) % {"name": name}
        if self.present["outage_ms"]:
            yield outages_said(self.present["outage_ms"])
        if self.present["rights"]["return"]:
            yield gettext("A substitute bot plays in your seat. You can return to the game once.")

    @property
    def acts(self) -> list[tuple[str, str]]:
        """The actions that the seat may take besides moves, with the labels of their buttons."""
        rights = self.present["rights"]
        abort, agreed = rights["abort"], len(rights["abort"]["agreed"])
        votes = ngettext("%(count)s player agrees", "%(count)s players agree", agreed) % {"count": agreed}
        offered = [
            ("return", rights["return"], gettext("Return to game")),
            (
                "claim",
                rights["claim"],
                gettext("Claim victory: the other human players have been offline for a minute"),
            ),
            ("abort", abort["allowed"], gettext("Abort game: it ends without a result")),
            (
                "abort",
                abort["agree"] and not abort["allowed"],
                gettext("Offer to abort (%(agreed)s)") % {"agreed": votes},
            ),
            ("resign", rights["resign"], _resign_label(rights["resigning"])),
        ]
        return [(act, words) for act, allowed, words in offered if allowed]

    @property
    def rounds(self) -> list[RoundText]:
        """The moves so far that the seat knows, the newest round first."""
        return rounds_told(self.position.shown_to(self.seat).log(self.seat), self.names)[::-1]


def _resign_label(resigning: str) -> str:
    if resigning == "aborted":
        return gettext("Resign: the game ends without a result")
    if resigning == "won":
        return gettext("Resign: you win, because all other players have already left")
    if resigning == "tied":
        return gettext("Resign: you share first place with the players who left last")
    return gettext("Resign: you rank below all players who stay in the game")


def table_page(match_id: int, seat: int, person: Any) -> TablePage:
    """The page of ``seat`` in a running live game; six queries. Raises ``Match.DoesNotExist``."""
    shown = Match.objects.select_related("ladder", "block").prefetch_related(seats_shown())
    match = shown.get(pk=match_id, table__isnull=False)
    return TablePage(match, seat, position_of(match), person)


# --- Views -----------------------------------------------------------------------------------------------------------

_ACTS: Final[Mapping[str, Callable[[int, int], None]]] = {
    "resign": actions.resign,
    "abort": actions.abort,
    "claim": actions.claim,
    "return": actions.return_to_seat,
}


@require_safe
@never_cache
def sit(request: HttpRequest, match_id: int) -> HttpResponse:
    """The page for a player of the game. Other visitors are redirected to the match page."""
    seat = _seat(request, match_id)
    if seat is None:
        return redirect("pages:match", match_seen_by(request.user, match_id).pk)
    presence.note_seen({match_id: {seat}})  # without a script nothing else does this
    page = table_page(match_id, seat, person_of(request))
    if page.match.status != Match.Status.RUNNING:
        return redirect("pages:match", match_id)
    return render(request, "pages/play/table.html", {"page": page})


@require_safe
@never_cache
def moves(request: HttpRequest, match_id: int) -> HttpResponse:
    """The moves that the visitor's seat knows, as a part of the page: two rounds, or with ``?all`` all of them."""
    seat = _seat(request, match_id)
    if seat is None:
        return redirect("pages:match", match_seen_by(request.user, match_id).pk)
    rounds = table_page(match_id, seat, None).rounds
    shown = rounds if "all" in request.GET else rounds[:ROUNDS]
    return render(request, "pages/play/_moves.html", {"rounds": reversed(shown), "earlier": len(rounds) > len(shown)})


@require_POST
@never_cache
@limit_actions
def answer(request: HttpRequest, match_id: int) -> HttpResponse:
    """Play the move of the form."""
    seat = _seat(request, match_id)
    if seat is None:
        return redirect("pages:match", match_seen_by(request.user, match_id).pk)
    move, number = request.POST.get("move", ""), request.POST.get("decision", "")
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        messages.error(request, _("The form was incomplete. Submit it again."))
        return redirect("pages:live_table", match_id)
    _report(request, answer_seat(match_id, seat, int(number), _body(move)))
    return redirect("pages:live_table", match_id)


@require_POST
@never_cache
@limit_actions
def act(request: HttpRequest, match_id: int) -> HttpResponse:
    """Resign, abort, claim victory or return."""
    seat, does = _seat(request, match_id), _ACTS.get(request.POST.get("do", ""))
    if seat is None:
        return redirect("pages:match", match_seen_by(request.user, match_id).pk)
    try:
        if does is None:
            raise Refused(_("Choose an action."), code="no_action")
        does(match_id, seat)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:live_table", match_id)


@require_POST
@never_cache
@limit_actions
def rematch(request: HttpRequest, match_id: int) -> HttpResponse:
    """Offer a rematch or accept one; with ``want=no``, withdraw the offer or decline it."""
    match, seat = match_seen_by(request.user, match_id), _seat(request, match_id)
    person = person_of(request)
    if person is None and seat is None:
        return redirect_to_login(reverse("pages:match", args=[match.pk]))
    try:
        by = guest_at(match.pk, seat) if person is None and seat is not None else person
        assert by is not None
        if request.POST.get("want") == "no":
            call_off(match, by)
        elif begun := play_again(match, by).match_id:
            return redirect("pages:live_table", begun)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:match", match.pk)


def _seat(request: HttpRequest, match_id: int) -> int | None:
    """The seat of the visitor at this table, if any."""
    person = person_of(request)
    if not 0 < match_id < 2**63:
        return None
    return actions.seat_of(match_id, None if person is None else person.pk, secret_of(request))


def _body(move: str) -> bytes:
    """The answer as a bot sends it. Text that is not JSON, or is nested too deeply, becomes a string."""
    try:
        return orjson.dumps({"move": orjson.loads(move)})
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return orjson.dumps({"move": move})


def _report(request: HttpRequest, judged: JudgedAnswer) -> None:
    if judged.verdict == AnswerVerdict.REFUSED:
        messages.error(request, _("Illegal move: %(why)s") % {"why": judged.detail})
    elif judged.verdict == AnswerVerdict.LATE:
        messages.error(request, _("Too late: the default move was played for you."))
    elif judged.verdict not in (AnswerVerdict.PLAYED, AnswerVerdict.SAME):
        messages.error(request, _("This decision is no longer open."))
