"""Match page: everything public about one match."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, prefetch_related_objects
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from bots.models import Bot
from bots.owners import is_guest
from esr_platform.prepared import Prepared
from games.game import Game
from games.outcomes import has_score
from games.presentation import ScoreColumn
from games.registry import GAMES
from games.replays import named
from games.rules import Document
from ladder.access import match_among, match_seen_by, matches_seen_by
from ladder.exports.documents import replay_of
from ladder.live import actions
from ladder.live.visibility import Cut, public_cut
from ladder.matches.blocks import BlockGame, games_of
from ladder.matches.logs import readable_seats
from ladder.matches.public_results import LiveCourse, by_rank, live_course, result_of
from ladder.matchmaking.lobby import rematch_request
from ladder.matchmaking.proposals import REMATCH_WITHIN
from ladder.models import (
    Attempt,
    Block,
    DealSeries,
    Ladder,
    Match,
    Proposal,
    Result,
    Seat,
    SeatResult,
)
from ladder.models.ladders import Viewer
from ladder.openness import is_open, shows_results
from ladder.pages.components.boards import Board, table
from ladder.pages.components.people import secret_of, watching_said
from ladder.pages.components.responses import shared_by_strangers
from ladder.pages.components.words import enumerated, span
from ladder.pages.matches import names, seats_shown

# --- The deal --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deal:
    """The deal of ``block`` with all games that are played with it."""

    block: Block
    games: Sequence[BlockGame]

    @property
    def open(self) -> bool:
        return is_open(self.block)

    @property
    def pending(self) -> int:
        """How many of its games have not ended."""
        return sum(game.status in Match.PENDING for game in self.games)

    @property
    def series(self) -> DealSeries | None:
        """The series that its number is of; ``None`` for a deal from before there were seasons."""
        return self.block.series

    @property
    def message(self) -> str:
        """What the season's key made the seed of."""
        series = self.series
        return f"{series.name}/{series.season.number}/{self.block.number}" if series else ""


def deal_of(match: Match) -> Deal:
    """The deal of ``match``, whose block, series and season are there already; one query."""
    return Deal(match.block, games_of(match.block_id))


# --- The move list ---------------------------------------------------------------------------------------------------

_NAME: Final = re.compile(r"\{(\d+)\}")


@dataclass(frozen=True)
class MoveSentence:
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
    sentences: Sequence[MoveSentence]


@dataclass(frozen=True)
class Told:
    """The move list of a game by chapter; ``plies`` is the number of steps in its record.

    ``turning_point`` is the first sentence of the turning point, or ``None``. ``key`` identifies the text in the cache.
    """

    chapters: Sequence[ToldChapter]
    plies: int
    turning_point: MoveSentence | None
    key: str


def told(match: Match, names: Sequence[str]) -> Told | None:
    """Return the move list of ``match`` as all players saw it, or ``None`` until its record is public. One query."""
    replay = replay_of(match)
    if replay is None:
        return None
    document = json.loads(replay.json)
    chapters = list(_chapters(document, names))
    key = sha256("\0".join((replay.tag, *names)).encode()).hexdigest()
    return Told(chapters, document["steps"], _said_at(chapters, document["turning_point"]), key)


def _chapters(document: dict[str, Any], names: Sequence[str]) -> Iterator[ToldChapter]:
    """Each with its sentences; those of a step that ends one chapter and begins the next are shared out in order."""
    numbered = [
        (ply, place, text)
        for ply, sentences in enumerate(document["sentences"])
        for place, text in enumerate(sentences)
    ]
    for chapter in document["chapters"]:
        chapter_lines, numbered = numbered[: chapter["sentences"]], numbered[chapter["sentences"] :]
        yield ToldChapter(
            chapter["title"],
            chapter["ply"],
            [
                MoveSentence(
                    with_names(names, text), begins_with(text), ply, not place, () if place else _silent(document, ply)
                )
                for ply, place, text in chapter_lines
            ],
        )


def _silent(document: dict[str, Any], ply: int) -> range:
    """The steps right before ``ply`` without a sentence."""
    before = ply
    while before and not document["sentences"][before - 1]:
        before -= 1
    return range(before, ply)


def _said_at(chapters: Sequence[ToldChapter], ply: int | None) -> MoveSentence | None:
    """The first sentence of a step: what was done, before what follows from it."""
    sentences = [sentence for chapter in chapters for sentence in chapter.sentences if sentence.ply == ply]
    return sentences[0] if sentences else None


def with_names(names: Sequence[str], text: str) -> str:
    """A sentence of a replay, which calls seats ``{0}``, ``{1}`` and so on."""
    return _NAME.sub(lambda slot: names[int(slot[1])], text)


def begins_with(text: str) -> int | None:
    """Whose name a sentence begins with."""
    slot = _NAME.match(text)
    return int(slot[1]) if slot else None


# --- Human players at the table --------------------------------------------------------------------------------------

_ON: Final = gettext_noop("The substitute %(bot)s played for %(person)s from move %(first)s to the end.")
_TO: Final = gettext_noop("The substitute %(bot)s played for %(person)s from move %(first)s to move %(last)s.")


@dataclass(frozen=True)
class Substituted:
    """A part of a game in which a house bot substituted for a player; ``seat`` counts from 0."""

    seat: int
    sentence: str


def substituted(course: LiveCourse, names: Sequence[str]) -> list[Substituted]:
    """The substitutions in a finished live game by seat. ``names`` are those of the seats."""
    substitutions = list[Substituted]()
    for part in course.occupancies:
        if part.is_substitute:
            person, first = names[part.seat], part.from_move + 1
            values = {"bot": part.name, "person": person, "first": first, "last": part.to_move}
            substitutions.append(Substituted(part.seat, gettext(_ON if part.to_move is None else _TO) % values))
    return substitutions


def outages(course: LiveCourse) -> list[str]:
    """A sentence for each site outage during a finished live game."""
    text = gettext("The site was unavailable for %(time)s before move %(move)s. Running clocks were extended.")
    return [text % {"time": span(outage.ms / 1000), "move": outage.before_move + 1} for outage in course.outages]


def outages_said(ms: int) -> str:
    """Describe an outage in a running live game without its move number, which can be hidden."""
    text = gettext("The site was unavailable for %(time)s. Running clocks were extended.")
    return text % {"time": span(ms / 1000)}


def own_seat(seats: Sequence[Seat], person: int | None) -> Seat | None:
    """Return the seat where the user with the id ``person`` plays by hand, or ``None``."""
    of_people = (seat for seat in seats if seat.version.bot.kind == Bot.Kind.PERSON and person is not None)
    return next((seat for seat in of_people if seat.version.bot.owner_id == person), None)


@dataclass(frozen=True)
class Again:
    """How a person can play again with the same players.

    ``how`` is ``rematch`` for a person who played there, ``asked`` while their request is open, ``accept`` if another
    player asks them, ``accepted`` once they have agreed, ``begun`` while the rematch runs, whose number is ``match``,
    and ``now`` for guests, with the slug of the only ``opponent``, if it is a house bot. ``names`` are the players in
    the sentence: those who ask, or those who have not answered.
    """

    how: str
    names: str = ""
    match: int | None = None
    opponent: str = ""


def again(match: Match, seats: Sequence[Seat], own: Seat | None, *, stranger: bool = False) -> Again | None:
    """How the player of ``own`` can play this table again; ``None`` if they cannot. Two queries.

    Guests who played alone, and ``stranger``, a visitor without an account, can start another game of this kind.
    """
    if match.status not in Match.ENDED or match.ended is None or timezone.now() - match.ended > REMATCH_WITHIN:
        return None
    people = [seat for seat in seats if seat.version.bot.kind == Bot.Kind.PERSON]
    of_guests = any(is_guest(seat.version.bot) for seat in people)
    if of_guests and (own is None or people == [own]):
        if not stranger or match.ladder.players != Ladder.Players.OPEN:
            return None
        bots = {seat.version.bot for seat in seats if seat not in people}
        opponent = next(iter(bots)) if len(bots) == 1 else None
        return Again("now", opponent=opponent.slug if opponent and opponent.owner_id is None else "")
    if own is None:
        return None
    request = rematch_request(match.pk)
    if request is not None and request["match"] is not None:
        return Again("begun", match=request["match"])
    if request is None or request["state"] != Proposal.State.OPEN:
        return Again("rematch")
    called = names(seats)
    if own.index in request["waiting"]:
        return Again("accept", called[request["by"]])
    waiting = enumerated([called[index] for index in request["waiting"]])
    return Again("asked" if request["by"] == own.index else "accepted", waiting)


# --- Running live games ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RoundText:
    """A chapter of the move list, numbered from 1.

    Each sentence comes with the seat (from 0) whose name it begins with, or ``None``.
    """

    number: int
    title: str
    sentences: Sequence[tuple[int | None, str]]


@dataclass(frozen=True)
class Running:
    """The public state of a running game. ``cut`` is ``None`` in the first round; ``names`` are by seat."""

    cut: Cut | None
    names: Sequence[str]

    @property
    def scene(self) -> dict[str, Any] | None:
        """The public state as a board scene (``docs/internals/boards.md``), without private information of any seat."""
        return None if self.cut is None else scene_of(self.cut, len(self.names))

    @property
    def rounds(self) -> list[RoundText]:
        """The move list up to this state, newest round first."""
        return [] if self.cut is None else rounds_told(self.cut.log, self.names)[::-1]


def rounds_told(log: Document, names: Sequence[str], told: int = 0) -> list[RoundText]:
    """Return the rounds of ``log``, oldest first, without those that its first ``told`` entries tell to their end."""
    story = GAMES[log["game"]].presentation.story
    known = len(story({**log, "entries": log["entries"][:told]}, named(len(names)))) if told else 0
    return [
        RoundText(number, chapter.title, [(begins_with(text), with_names(names, text)) for text in chapter.sentences])
        for number, chapter in enumerate(story(log, named(len(names))), 1)
        if number >= known
    ]


def scene_of(cut: Cut, seats: int) -> dict[str, Any]:
    """Return the board scene of ``cut`` for a game with ``seats`` seats."""
    entries = cut.log["entries"]
    return {
        "view": cut.view,
        "yous": [None] * seats,
        "seat": None,
        "ply": entries[-1]["ply"] if entries else 0,
        "entries": [],
    }


def running(match: Match, names: Sequence[str]) -> Running | None:
    """Return the live game ``match``, which has its ladder and block, while it runs; ``None`` for any other match."""
    if match.status != Match.Status.RUNNING or match.block.purpose not in Block.DRIVEN_BY_REQUESTS:
        return None
    return Running(public_cut(match), names)


# --- The page --------------------------------------------------------------------------------------------------------

SPEEDS = (1, 2, 4, 8, 16, 30, 60)


@dataclass(frozen=True)
class SeatRow:
    """A row of the result table: a seat, its result and one cell per score column of the game."""

    seat: Seat
    result: SeatResult | None
    cells: Sequence[str]


@dataclass(frozen=True)
class SeatTable:
    """The result table of one match. Before there is a result it lists only the seats."""

    match: Match

    @property
    def game(self) -> Game:
        return GAMES[self.match.ladder.game]

    @property
    def columns(self) -> Sequence[ScoreColumn]:
        """The columns of the game; none before there is a public result."""
        shown = self.match.status == Match.Status.FINISHED and shows_results(self.match.block)
        return self.game.presentation.score_columns if shown else ()

    @property
    def rated(self) -> bool:
        """Whether the match is for ratings, so that its seats have some."""
        return all(seat.membership_id is not None for seat in self.match.seats.all())

    @cached_property
    def rows(self) -> list[SeatRow]:
        """Winners first; in seat order before there is a result."""
        return [SeatRow(seat, result_of(seat), self._cells(result_of(seat))) for seat in by_rank(self.match)]

    @property
    def winners(self) -> list[SeatRow]:
        return [row for row in self.rows if row.result and row.result.rank == 1]

    @property
    def forfeits(self) -> list[SeatRow]:
        return [row for row in self.rows if row.result and row.result.forfeit]

    @property
    def ended_early(self) -> bool:
        """Whether at most one seat was left to play, so that there are no scores."""
        results = [row.result for row in self.rows if row.result]
        return bool(results) and not any(has_score(result.score) for result in results)

    def _cells(self, result: SeatResult | None) -> list[str]:
        if result is None:
            return []
        return [column.text(result.score) if has_score(result.score) else "" for column in self.columns]


@dataclass(frozen=True)
class MatchPage:
    """One match with its seats. What is closed before the end of its block is not in here before that.

    ``ledger`` are the numbers that speak of its result, by kind. ``delayed`` are the seats, from 0, that the machine
    made late in the game that counts, ``logged`` those whose logs the viewer may read. ``running`` is what a live game
    that is being played shows of its table.
    """

    match: Match
    attempts: Sequence[Attempt]
    ledger: Mapping[str, int]
    delayed: Collection[int]
    ahead: int
    logged: Collection[int]
    deal: Deal
    running: Running | None
    substituted: Sequence[Substituted]
    outages: Sequence[str]
    viewer: int | None
    guest_seat: int | None = None
    embedded: bool = False

    @property
    def public_replay(self) -> bool:
        """Whether everyone may see the replay."""
        return self.told is not None and not self.match.ladder.private

    @property
    def substituted_seats(self) -> Collection[int]:
        """The seats in which somebody stood in: they were played on by a bot."""
        return {substitution.seat for substitution in self.substituted}

    @property
    def own_seat(self) -> Seat | None:
        """The seat of the viewer, a user or a guest."""
        seats = list(self.match.seats.all())
        return own_seat(seats, self.viewer) if self.guest_seat is None else seats[self.guest_seat]

    @cached_property
    def again(self) -> Again | None:
        """How the viewer can play this table again."""
        return again(self.match, list(self.match.seats.all()), self.own_seat, stranger=self.viewer is None)

    @property
    def watched(self) -> str:
        """The number of spectators in words; empty if there are none."""
        return watching_said([self.match.pk]).get(self.match.pk, "") if self.running else ""

    @property
    def game(self) -> Game:
        return GAMES[self.match.ladder.game]

    @property
    def table(self) -> SeatTable:
        return SeatTable(self.match)

    @property
    def names(self) -> list[str]:
        return names(list(self.match.seats.all()))

    @property
    def title(self) -> str:
        return enumerated(self.names)

    @property
    def named_guests(self) -> list[tuple[int, str]]:
        """The seats and names of guests whose names can be reported."""
        return [(seat.index, self.names[seat.index]) for seat in self.match.seats.all() if seat.guest_name]

    @property
    def winners(self) -> str:
        """The names of the winners."""
        return enumerated([self.names[row.seat.index] for row in self.table.winners])

    @property
    def delayed_rows(self) -> list[SeatRow]:
        """The seats that server lag slowed down although the result counts."""
        return [row for row in self.table.rows if row.seat.index in self.delayed]

    @property
    def over(self) -> bool:
        return self.match.status in Match.ENDED

    @property
    def changing(self) -> bool:
        """Whether the page still changes without user input."""
        return not (self.over and self.deal.open)

    @property
    def live(self) -> bool:
        """Whether the match is a live game, which requests drive instead of a worker."""
        return self.match.block.purpose in Block.DRIVEN_BY_REQUESTS

    @property
    def correctable(self) -> bool:
        """Whether site staff can withdraw the match or void its result."""
        finished = self.match.status == Match.Status.FINISHED and self.match.block.cup_table_id is None
        return finished or self.match.status in Match.PENDING

    @property
    def requeueable(self) -> bool:
        """Whether operators can queue the match again: it is pending, and workers play it."""
        return self.match.status in Match.PENDING and self.match.block.purpose not in Block.DRIVEN_BY_REQUESTS

    @property
    def failed_attempts(self) -> list[Attempt]:
        """The attempts without a result, which explain why a match took long."""
        return [attempt for attempt in self.attempts if attempt.failure]

    @property
    def board(self) -> Board:
        return Board(self.game)

    @property
    def replay_table(self) -> dict[str, Any]:
        """The document about the match that the board gets. On other sites, it does not link to pages of players."""
        document = table(self.game, list(self.match.seats.all()), self.names)
        if self.embedded:
            document["labels"] = [{**label, "href": ""} for label in document["labels"]]
        return document

    @property
    def speeds(self) -> list[tuple[str, str]]:
        """The replay speeds in steps per second, with their labels."""
        labels = [ngettext("%(count)s step/s", "%(count)s steps/s", count) % {"count": count} for count in SPEEDS]
        return [("0.5", gettext("0.5 steps/s")), *zip(map(str, SPEEDS), labels, strict=True)]

    @cached_property
    def told(self) -> Told | None:
        """The move list, once the match has a result and its block is public."""
        return told(self.match, self.names) if self.match.status == Match.Status.FINISHED else None


def match_page(match_id: int, user: Viewer, guest_seat: int | None = None) -> MatchPage:
    """All that ``user`` may see of one match, in at most eleven queries. Raises ``Http404``.

    ``guest_seat`` is the seat of a visitor who plays or played there as a guest.
    """
    related = ("ladder", "block__series__season__ladder", "block__cup_table__round__cup")
    matches = Match.objects.select_related(*related).prefetch_related(seats_shown(), "attempts")
    match = match_among(matches, user, match_id)
    seat_names = names(list(match.seats.all()))
    course = live_course(match.pk, match.block.purpose, is_open(match.block))
    results = Result.objects.filter(match=match)
    rows = list(results.values_list("ledger_entries__kind", "ledger_entries__number", "report__machine_delays"))
    return MatchPage(
        match=match,
        attempts=list(match.attempts.all()),
        ledger={kind: number for kind, number, _ in rows if kind},
        delayed=frozenset(delay["seat"] for _, _, delays in rows for delay in delays),
        ahead=_ahead(match) if match.status == Match.Status.QUEUED else 0,
        logged=readable_seats(match, user) if match.status == Match.Status.FINISHED else (),
        deal=deal_of(match),
        running=running(match, seat_names),
        substituted=substituted(course, seat_names),
        outages=outages(course),
        viewer=user.pk,
        guest_seat=guest_seat,
    )


def _ahead(match: Match) -> int:
    """Return the number of queued matches of the ladder that are ahead of ``match``."""
    sooner = Q(priority__gt=match.priority) | Q(priority=match.priority, pk__lt=match.pk)
    return Match.objects.filter(sooner, ladder=match.ladder, status=Match.Status.QUEUED).count()


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def match(request: HttpRequest, match_id: int) -> HttpResponse:
    def state() -> tuple[str, bool, bool]:
        shown = _shown_to_strangers(match_id=match_id)
        if not shown:
            raise Http404(_("Match not found."))
        ((status, deal_ended, key_published),) = shown
        return status, deal_ended is not None, key_published is not None

    return shared_by_strangers(request, state, lambda: _page(request, match_id))


_shown_to_strangers: Final = Prepared(
    lambda match_id: (
        matches_seen_by(AnonymousUser())
        .filter(pk=match_id)
        .order_by()
        .values_list("status", "block__ended", "block__series__published")
    )
)


def _page(request: HttpRequest, match_id: int) -> HttpResponse:
    secret = secret_of(request)
    page = match_page(match_id, request.user, actions.seat_of(match_id, None, secret) if secret else None)
    sits = page.running is not None and page.guest_seat is not None
    return render(request, "pages/match.html", {"page": page, "sits": sits})


_EMBEDDED: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors *"
)
"""The Content-Security-Policy of the only pages that other sites can embed."""


@require_safe
@xframe_options_exempt
def embed(request: HttpRequest, match_id: int) -> HttpResponse:
    """The replay for pages of other sites: what everyone may see, without session and forms. Else status 404."""
    page = replace(match_page(match_id, AnonymousUser()), embedded=True)
    if not page.public_replay:
        raise Http404(_("Replay not available. It is published when all games of the deal are finished."))
    response = render(request, "pages/embed.html", {"page": page})
    response.headers["Content-Security-Policy"] = _EMBEDDED
    response.headers["Cache-Control"] = "public, max-age=300"
    return response


@require_safe
def rounds(request: HttpRequest, match_id: int) -> HttpResponse:
    """Return what changes on the page of a running live game, for browsers that receive no events.

    Such a browser loads the page again once the game is over. All other browsers learn that from the stream.
    """
    match = match_seen_by(request.user, match_id)
    prefetch_related_objects([match], seats_shown())
    view = running(match, names(list(match.seats.all())))
    if view is None:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "pages/_rounds.html", {"match": match, "running": view})


def round_parts(match_id: int, cut: Cut, told: int) -> str:
    """Render the parts of the page that are new with ``cut`` if it has shown the first ``told`` entries of the log.

    Streams send them to all spectators. They contain nothing but the cut, the names and the time since the start.
    """
    seats = _seats_named(match_id=match_id)
    rounds = rounds_told(cut.log, names(seats), told)
    return render_to_string("pages/_round_parts.html", {"match": seats[0].match, "rounds": rounds})


_seats_named: Final = Prepared(
    lambda match_id: (
        Seat.objects.filter(match=match_id)
        .select_related("match", "version__bot")
        .only(
            *("index", "guest_name", "match__started", "version__number"),
            *("version__bot__name", "version__bot__slug", "version__bot__house_name"),
        )
        .order_by("index")
    )
)
"""The seats of a match by index, with the start of the match and what ``names`` reads."""
