"""Cups with their entries, standings, rounds and ledgers, and the actions of entrants and organizers."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from msgspec import UNSET, Meta, UnsetType
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from bots.names import BotName, bot_columns
from bots.tournaments.formats import FORMATS
from bots.tournaments.rounds import Standing
from bots.tournaments.tables import Ruling
from esr_platform.accounts.models import User
from esr_platform.api.documents import (
    EXAMPLE_DIGEST,
    NO_NUL,
    Document,
    Form,
    Moment,
    Slug,
    about,
    choice,
    operation,
    read_body,
    text,
)
from esr_platform.api.http import refusals
from esr_platform.api.parameters import ChoiceParameter, Flag, Number
from esr_platform.api.resources.bots import NamedBot, named_bot
from esr_platform.api.resources.views import OLDEST, Listing, One, Whole, Writing, orders, person_of
from games.registry import GAMES
from ladder.access import bot_seen_by, cup_seen_by, cups_of, cups_seen_by, found
from ladder.cups import creation, desk, registration
from ladder.cups.results import CupResults, TableResults, table_results
from ladder.models import Cup, CupEntry, CupLedgerEntry, CupRound, CupSchedule, CupTable

# --- Documents of a cup ----------------------------------------------------------------------------------------------

_TIME: Final = "2026-12-01T18:00:00Z"
_GAME: Final = "edel-stein-reich"
_FORMATS: Final = choice(list(FORMATS), "Format of the cup.")
_BLOCKS: Final = "Number of blocks per table and round."
_WITH_ROUNDS: Final = ", ".join(f"`{slug}`" for slug, format_ in FORMATS.items() if format_.has_chosen_rounds)
_ROUNDS: Final = f"Number of rounds, if it can be chosen in the format ({_WITH_ROUNDS}); otherwise null."
_AT_A_TABLE: Final = "Maximum number of bots of one user at a table, where possible."
_REPEAT: Final = "Days until the next cup of the series, or null."


class CupListed(Document):
    """A cup, which is a tournament of hosted bots."""

    always = ("slug",)

    id: Annotated[int, about("Id of the cup.", 7)]
    slug: Annotated[str, about("Slug, the name in URLs.", "winter-cup")]
    title: Annotated[str, about("Title.", "Winter cup")]
    game: Annotated[str, choice(tuple(GAMES), "Slug of the game.", _GAME)]
    seats: Annotated[int, about("Number of seats.", 3, ge=2, le=5)]
    format: Annotated[str, _FORMATS]
    state: Annotated[str, choice(Cup.State.values, "State of the cup.")]
    paused: Annotated[bool, about("Whether an organizer has paused the cup, so that no new round begins.", False)]
    listed: Annotated[bool, about("Whether the cup is in the public list.", True)]
    organizer: Annotated[str | None, about("Username of the organizer; null for deleted accounts.", "miriam")]
    closes_at: Annotated[Moment, about("Registration deadline.", _TIME)]
    starts_at: Annotated[Moment, about("Start of the first round.", _TIME)]
    time_zone: Annotated[str, about("Time zone of the organizer.", "Europe/Berlin")]
    ended: Annotated[Moment | None, about("Time at which the cup was finished or canceled, or null.", None)]
    created: Annotated[Moment, about("Time of creation.")]
    capacity: Annotated[int, about("Maximum number of entries.", 64)]
    entries: Annotated[int, about("Number of entered bots; after the deadline, number of entrants.", 12)]
    rounds_ended: Annotated[int, about("Number of rounds that have ended.", 0)]


class CupScheduleDocument(Document):
    """The rounds that an open cup has still to play."""

    computed: Annotated[Moment, about("Time of the estimate.")]
    rounds_ended: Annotated[int, about("Number of ended rounds. The values are for the rounds after them.", 0)]
    tables: Annotated[list[int], about("Number of tables of each round.")]
    games: Annotated[int, about("Number of games, without games that decide ties.", 96)]
    seconds: Annotated[float | None, about("Estimated duration in seconds, or null if unknown.", 1800.5)]


class CupDocument(CupListed):
    """A cup with its settings, hashes and schedule."""

    always = ("slug",)

    about: Annotated[str, about("Description by the organizer.", "For beginners.")]
    ladder: Annotated[str, about("Slug of the ladder whose limits apply. Its ratings do not change.", f"{_GAME}-3")]
    blocks: Annotated[int, about(_BLOCKS, 1)]
    rounds: Annotated[int | None, about(_ROUNDS, 5)]
    entries_per_user: Annotated[int, about("Maximum number of entries per user.", 1)]
    at_a_table: Annotated[int, about(_AT_A_TABLE, 1)]
    repeat_days: Annotated[int | None, about(_REPEAT, None)]
    co_organizers: Annotated[list[str], about("Usernames of the co-organizers.", [])]
    reason: Annotated[str, about("Reason why the cup was canceled or is paused; otherwise empty.", "")]
    key_hash: Annotated[str, about("SHA-256 of the key in hexadecimal. It is public immediately.", EXAMPLE_DIGEST)]
    key: Annotated[str | None, about("Key in hexadecimal; null until the cup and its last games have ended.", None)]
    entrants_hash: Annotated[
        str, about("SHA-256 of the entrant list in hexadecimal; empty until the list is frozen.", EXAMPLE_DIGEST)
    ]
    schedule: Annotated[CupScheduleDocument | None, about("Rounds to play, or null if the cup has ended.")]


_SHOWN: Final = ("slug", "title", "format", "state", "paused", "listed", "closes_at", "starts_at", "time_zone")
_LISTED: Final = (*_SHOWN, "ended", "created", "capacity")
_SETTINGS: Final = ("about", "blocks", "rounds", "entries_per_user", "at_a_table", "repeat_days", "reason", "key_hash")


def _counted(cups: QuerySet[Cup]) -> QuerySet[Cup]:
    in_list = Q(number__isnull=False) | Q(state=CupEntry.State.ENTERED)
    entries = CupEntry.objects.filter(in_list, cup=OuterRef("pk"))
    ended = CupRound.objects.filter(cup=OuterRef("pk"), ended__isnull=False)
    return cups.annotate(listed_entries=_count(entries), ended_rounds=_count(ended))


def _count(rows: QuerySet[Any]) -> Coalesce:
    """Return the number of ``rows`` of a cup. Joins would multiply entries by rounds."""
    return Coalesce(Subquery(rows.order_by().values("cup").annotate(rows=Count("pk")).values("rows")), 0)


def _listed(cup: Any) -> dict[str, Any]:
    """Return the fields that a cup has in lists. ``cup`` is a row of :func:`_counted`."""
    organizer: User | None = cup.organizer
    return {
        **{name: getattr(cup, name) for name in _LISTED},
        "id": cup.pk,
        "game": cup.ladder.game,
        "seats": cup.ladder.seats,
        "organizer": None if organizer is None or organizer.deleted else organizer.username,
        "entries": cup.listed_entries,
        "rounds_ended": cup.ended_rounds,
    }


def _document(user: Any, slug: str) -> CupDocument:
    """Return the document of a cup. Makes five queries. Raises ``Http404``."""
    cup = found(_counted(cups_seen_by(user)), "Cup not found.", slug=slug)
    return CupDocument(
        **_listed(cup),
        **{name: getattr(cup, name) for name in _SETTINGS},
        ladder=cup.ladder.slug,
        co_organizers=list(cup.co_organizers.order_by("username").values_list("username", flat=True)),
        key=cup.public_key,
        entrants_hash=cup.entrants_hash,
        schedule=_schedule(cup),
    )


def _schedule(cup: Cup) -> CupScheduleDocument | None:
    stored = CupSchedule.objects.filter(cup=cup).first() if cup.state in Cup.OPEN else None
    if stored is None:
        return None
    return CupScheduleDocument(
        computed=stored.computed,
        rounds_ended=stored.rounds,
        tables=stored.tables,
        games=sum(stored.tables) * cup.games_at_a_table,
        seconds=None if stored.round_s is None else float(sum(stored.round_s)),
    )


# --- Forms -----------------------------------------------------------------------------------------------------------

_TITLE: Final = text("Title. It must be unique among open cups.", 60, "Winter cup")
_ABOUT: Final = about("Description.", "For beginners.", max_length=1000, pattern=NO_NUL)
Positive = Annotated[int, Meta(ge=1, le=32_000)]
"""A positive number that fits into the database."""

_REASON: Final = text("Reason. It is public and stays in the ledger of the cup.", 500, "The server was unavailable.")


class CupCreation(Form):
    """A new cup. You need a verified email address."""

    title: Annotated[str, _TITLE]
    game: Annotated[Slug, about("Slug of the game.", _GAME)]
    seats: Annotated[int, about("Number of seats.", 3, ge=2, le=5)]
    format: Annotated[str, _FORMATS]
    closes_at: Annotated[Moment, about("Registration deadline, when versions are frozen.", _TIME)]
    starts_at: Annotated[Moment, about("Start of the first round.", _TIME)]
    blocks: Annotated[Positive, about(_BLOCKS, 1)] = 1
    rounds: Annotated[Positive | None, about(f"{_ROUNDS} Required if it can be chosen.", 5)] = None
    capacity: Annotated[Positive, about("Maximum number of entries.", 64)] = 64
    entries_per_user: Annotated[Positive, about("Maximum number of entries per user.", 1)] = 1
    at_a_table: Annotated[Positive, about(_AT_A_TABLE, 1)] = 1
    about: Annotated[str, _ABOUT] = ""
    listed: Annotated[
        bool, about("Whether the cup is in the public list. Other cups can be opened only by their link.", True)
    ] = True
    time_zone: Annotated[str, text("Name of your time zone (IANA).", 40, "Europe/Berlin")] = "UTC"
    repeat_days: Annotated[Positive | None, about(_REPEAT, None)] = None


class CupChanges(Form):
    """Changes of a cup before its registration closes. Missing fields stay as they are."""

    title: Annotated[str, _TITLE] | UnsetType = UNSET
    about: Annotated[str, _ABOUT] | UnsetType = UNSET
    closes_at: Annotated[Moment, about("Registration deadline.", _TIME)] | UnsetType = UNSET
    starts_at: Annotated[Moment, about("Start of the first round.", _TIME)] | UnsetType = UNSET
    repeat_days: Annotated[int | UnsetType | None, about(_REPEAT, 7)] = UNSET


class ReasonForm(Form):
    """The reason for an action."""

    reason: Annotated[str, _REASON]


class ResumptionForm(Form):
    """An optional comment on resuming a cup."""

    reason: Annotated[
        str, about("Comment. It is public and stays in the ledger.", "", max_length=500, pattern=NO_NUL)
    ] = ""


class RemovalForm(ReasonForm):
    """The removal of an entrant by an organizer."""

    disqualified: Annotated[bool, about("Whether the bot is disqualified instead of withdrawn.", True)] = False


class RulingForm(ReasonForm):
    """A ruling on a table of a cup."""

    round: Annotated[Positive, about("Number of the round, from 1.", 1)]
    table: Annotated[Positive, about("Number of the table, from 1.", 1)]
    ruling: Annotated[
        Ruling,
        about("`loss`: the named bot loses; `void`: the table has no result; `bye`: all its bots get a bye.", "loss"),
    ]
    bot: Annotated[Slug | None, about("Slug of the bot that loses; only for `loss`.", "citrine")] = None


# --- Views of cups ---------------------------------------------------------------------------------------------------


class Cups(Listing, Writing):
    """Returns the public cups, newest first."""

    document = CupListed
    parameters = (
        ChoiceParameter("state", "Only cups in this state.", words=Cup.State.values),
        ChoiceParameter("game", "Only cups of this game.", words=tuple(GAMES)),
        Number("seats", "Only cups with this number of seats.", least=2, most=5),
        ChoiceParameter("format", "Only cups in this format.", words=list(FORMATS)),
        Flag(
            "mine",
            "`true`: only cups that you organize or have entered a bot in, also cups that are not in the public list. "
            "Needs a token with the scope `read`.",
        ),
    )

    @operation("cups", "List cups")
    def get(self, _request: Request) -> Response:
        columns = {"state": "state", "game": "ladder__game", "seats": "ladder__seats", "format": "format"}
        wanted = {column: self.asked[name] for name, column in columns.items() if self.asked[name] is not None}
        shown = self._mine() if self.asked["mine"] else cups_seen_by(self.viewer).filter(listed=True)
        rows: Any = _counted(shown.filter(**wanted))
        return self.answer([CupListed(**_listed(cup)) for cup in self.part(rows)])

    def _mine(self) -> QuerySet[Cup]:
        """Return the cups of the viewer."""
        person = self.viewer
        if not isinstance(person, User):
            raise PermissionDenied("`mine` needs a token with the scope 'read'. Create a token on your account page.")
        return cups_of(person)

    @operation("create_cup", "Create a cup", CupDocument, body=CupCreation, statuses=(201,))
    def post(self, request: Request) -> Response:
        """Creates a cup that you organize. The hash of its key is public immediately."""
        form, person = read_body(request.data, CupCreation), person_of(request)
        values = {name: getattr(form, name) for name in form.__struct_fields__}
        with refusals():
            cup = creation.create_cup(person, creation.CupForm(**values))
        headers = {"Location": reverse("api:cup", args=(cup.slug,))}
        return Response(_document(person, cup.slug), HTTPStatus.CREATED, headers=headers)


class OneCup(One, Writing):
    """Returns one cup with its settings, hashes and schedule."""

    document = CupDocument

    @operation("cup", "Get a cup")
    def get(self, _request: Request, slug: str) -> Response:
        return self.answer(_document(self.viewer, slug))

    @operation("change_cup", "Change a cup", CupDocument, body=CupChanges)
    def patch(self, request: Request, slug: str) -> Response:
        """Changes a cup that you organize, before its registration closes."""
        person = person_of(request)
        cup, form = cup_seen_by(person, slug), read_body(request.data, CupChanges)
        sent = {name: getattr(form, name) for name in form.__struct_fields__}
        values = {name: getattr(cup, name) if value is UNSET else value for name, value in sent.items()}
        with refusals():
            desk.change(person, cup, desk.CupChange(**values))
        return Response(_document(person, slug))


class _Acting(Writing):
    """An action of an organizer on a cup. The response is the cup."""

    def acted(self, request: Request, slug: str, act: Any) -> Response:
        """Call ``act`` with the user and the cup, and return the cup."""
        person = person_of(request)
        cup = cup_seen_by(person, slug)
        with refusals():
            act(person, cup)
        return Response(_document(person, slug))


class Pause(_Acting):
    """At ``/api/v1/cups/{slug}/pause``."""

    @operation("pause_cup", "Pause a cup", CupDocument, body=ReasonForm)
    def post(self, request: Request, slug: str) -> Response:
        """Pauses a cup that you organize. Games of the running round are still played, but no new round begins."""
        reason = read_body(request.data, ReasonForm).reason
        return self.acted(request, slug, lambda person, cup: desk.pause(person, cup, paused=True, reason=reason))


class Resumption(_Acting):
    """At ``/api/v1/cups/{slug}/resume``."""

    @operation("resume_cup", "Resume a cup", CupDocument, body=ResumptionForm)
    def post(self, request: Request, slug: str) -> Response:
        """Resumes a paused cup that you organize."""
        reason = read_body(request.data or {}, ResumptionForm).reason
        return self.acted(request, slug, lambda person, cup: desk.pause(person, cup, paused=False, reason=reason))


class Cancellation(_Acting):
    """At ``/api/v1/cups/{slug}/cancel``."""

    @operation("cancel_cup", "Cancel a cup", CupDocument, body=ReasonForm)
    def post(self, request: Request, slug: str) -> Response:
        """Cancels a cup that you organize. Queued games are canceled; finished games stay visible."""
        reason = read_body(request.data, ReasonForm).reason
        return self.acted(request, slug, lambda person, cup: desk.call_off(person, cup, reason))


class CoOrganizer(_Acting):
    """At ``/api/v1/cups/{slug}/organizers/{username}``."""

    @operation("add_co_organizer", "Add a co-organizer", CupDocument)
    def put(self, request: Request, slug: str, username: str) -> Response:
        """Adds a co-organizer to a cup that you organize. The call is idempotent."""
        return self.acted(request, slug, lambda person, cup: desk.add_organizer(person, cup, username))

    @operation("remove_co_organizer", "Remove a co-organizer", CupDocument)
    def delete(self, request: Request, slug: str, username: str) -> Response:
        """Removes a co-organizer from a cup that you organize, or yourself. The call is idempotent."""

        def act(person: User, cup: Cup) -> None:
            user = cup.co_organizers.filter(username=username).first() if "\0" not in username else None
            if user is not None:
                desk.remove_organizer(person, cup, user.pk)

        return self.acted(request, slug, act)


class Rulings(_Acting):
    """At ``/api/v1/cups/{slug}/rulings``."""

    @operation("rule_on_table", "Rule on a table", CupDocument, body=RulingForm)
    def post(self, request: Request, slug: str) -> Response:
        """Decides a table of a cup that you organize. The ruling is appended to the ledger; records do not change."""
        form = read_body(request.data, RulingForm)

        def act(person: User, cup: Cup) -> None:
            tables = CupTable.objects.select_related("round__cup").filter(round__cup=cup)
            table = found(tables, "Table not found.", round__number=form.round, index=form.table - 1)
            loser = None
            if form.bot is not None:
                loser = found(CupEntry.objects.filter(cup=cup), "Bot not found in this cup.", bot__slug=form.bot).number
            desk.rule(person, table, form.ruling, form.reason, loser)

        return self.acted(request, slug, act)


# --- Entries ---------------------------------------------------------------------------------------------------------


class CupEntryDocument(NamedBot):
    """A bot that is entered in a cup."""

    always = ("bot",)

    cup: Annotated[str, about("Slug of the cup.", "winter-cup")]
    number: Annotated[
        int | None, about("Seed of the bot, from 1, when the entrant list is frozen; null before and if rejected.", 1)
    ]
    version: Annotated[int | None, about("Number of the frozen version, or null.", 3)]
    rank: Annotated[int | None, about("Rank in the final standings, or null.", 1)]
    state: Annotated[str, choice(CupEntry.State.values, "State of the entry.")]
    reason: Annotated[str, about("Reason for a rejection, withdrawal or disqualification, or empty.", "")]
    created: Annotated[Moment, about("Time of the entry.")]


_ENTRY: Final = ("rank", "state", "reason", "created")
_ENTRIES: Final = CupEntry.objects.values("pk", "cup__slug", "number", "version__number", *_ENTRY, *bot_columns())


def _entry(row: Mapping[str, Any]) -> CupEntryDocument:
    number = row["number"]
    return CupEntryDocument(
        **named_bot(BotName.of(row)),
        cup=row["cup__slug"],
        number=None if number is None else number + 1,
        version=row["version__number"],
        **{name: row[name] for name in _ENTRY},
    )


class Entries(Listing):
    """Returns the entries of a cup in the order of their creation."""

    document = CupEntryDocument
    orders = OLDEST

    @operation("cup_entries", "List the entries of a cup")
    def get(self, _request: Request, slug: str) -> Response:
        cup = cup_seen_by(self.viewer, slug)
        return self.answer([_entry(row) for row in self.part(_ENTRIES.filter(cup=cup))])


class OneEntry(Writing):
    """At ``/api/v1/cups/{slug}/entries/{bot}``."""

    @operation("enter_cup", "Enter a cup", CupEntryDocument)
    def put(self, request: Request, slug: str, bot: str) -> Response:
        """Enters your bot. Organizers can also enter house bots. The call is idempotent."""
        person = person_of(request)
        cup, entered = cup_seen_by(person, slug), bot_seen_by(person, bot)
        with refusals():
            return _entry_answer(registration.enter(person, cup, entered))

    @operation("withdraw_from_cup", "Withdraw from a cup", CupEntryDocument)
    def delete(self, request: Request, slug: str, bot: str) -> Response:
        """Withdraws your bot. The call is idempotent.

        After the deadline, decided tables keep their results. At an undecided table, the bot ranks last in every game.
        """
        person = person_of(request)
        with refusals():
            return _entry_answer(registration.withdraw(person, entry_of(cup_seen_by(person, slug), bot)))


class Removal(Writing):
    """At ``/api/v1/cups/{slug}/entries/{bot}/remove``."""

    @operation("remove_entry", "Remove an entrant", CupEntryDocument, body=RemovalForm)
    def post(self, request: Request, slug: str, bot: str) -> Response:
        """Withdraws or disqualifies an entrant of a cup that you organize.

        Decided tables keep their results. At an undecided table, the bot ranks last in every game.
        """
        person, form = person_of(request), read_body(request.data, RemovalForm)
        entry = entry_of(cup_seen_by(person, slug), bot)
        with refusals():
            desk.remove(person, entry, form.reason, disqualified=form.disqualified)
        return _entry_answer(entry)


def entry_of(cup: Cup, bot: str) -> CupEntry:
    """Return the entry of a bot. Raises ``Http404``."""
    entries = CupEntry.objects.filter(cup=cup).select_related("bot", "cup")
    return found(entries, "This bot is not entered in the cup.", bot__slug=bot)


def _entry_answer(entry: CupEntry) -> Response:
    return Response(_entry(_ENTRIES.get(pk=entry.pk)))


# --- Standings -------------------------------------------------------------------------------------------------------


class CupStandingDocument(NamedBot):
    """One row of the standings of a cup. Ties are broken by the following fields in this order, then by lot."""

    always = ("bot",)

    rank: Annotated[int, about("Rank, from 1.", 1)]
    match_points: Annotated[int, about("At each table, 2 for each opponent with fewer points, 1 for each tie.", 8)]
    direct: Annotated[int, about("Match points against bots with the same number of match points.", 2)]
    share: Annotated[float, about("Share of the possible points in the games, from 0 to 1.", 0.71)]
    opponents: Annotated[float, about("Mean match points of the opponents.", 5.5)]
    byes: Annotated[int, about("Number of byes.", 0)]
    state: Annotated[str, choice(CupEntry.State.values, "State of the entry.")]


class CupStandings(Whole):
    """Returns the standings after the rounds that have ended, best bot first. Before that, the list is empty."""

    document = CupStandingDocument

    @operation("cup_standings", "Get the standings of a cup")
    def get(self, _request: Request, slug: str) -> Response:
        results = CupResults(cup_seen_by(self.viewer, slug))
        rows = [_standing(standing, results.entrants[standing.entrant]) for standing in results.standings]
        return self.answer(rows)


def _standing(standing: Standing, entry: CupEntry) -> CupStandingDocument:
    return CupStandingDocument(
        **named_bot(entry.bot),
        rank=standing.rank,
        match_points=standing.match_points,
        direct=standing.direct,
        share=round(float(standing.share), 6),
        opponents=round(float(standing.opponents), 6),
        byes=standing.byes,
        state=entry.state,
    )


# --- Rounds ----------------------------------------------------------------------------------------------------------


class CupRoundListed(Document):
    """A round of a cup."""

    always = ("number",)

    number: Annotated[int, about("Number of the round, from 1.", 1)]
    started: Annotated[Moment, about("Time at which the round began.")]
    ended: Annotated[Moment | None, about("Time at which its results and replays became public, or null.", None)]
    tables: Annotated[int, about("Number of tables.", 4)]
    byes: Annotated[int, about("Number of byes.", 1)]


class TableEntrantDocument(Document):
    """An entrant at a table. The points are null until the round has ended, and at void tables."""

    bot: Annotated[str, about("Slug of the bot.", "citrine")]
    points: Annotated[int | None, about("Points: in each game, 2 for each lower-ranked opponent, 1 for each tie.", 14)]
    match_points: Annotated[int | None, about("Match points of the table.", 4)]
    left: Annotated[bool, about("Whether the bot had left the cup before the table was decided.", False)]


class CupTableDocument(Document):
    """A table of a round."""

    table: Annotated[int, about("Number of the table, from 1.", 1)]
    entrants: Annotated[list[TableEntrantDocument], about("Entrants by their seat in the first seating.")]
    void: Annotated[bool, about("Whether the table has no result.", False)]
    ruled: Annotated[bool, about("Whether an organizer has ruled on the table.", False)]
    matches: Annotated[list[int], about("Ids of the matches; empty until the round has ended.", [51007, 51008])]


class CupRoundDocument(Document):
    """A round of a cup with its tables."""

    always = ("number",)

    number: Annotated[int, about("Number of the round, from 1.", 1)]
    started: Annotated[Moment, about("Time at which the round began.")]
    ended: Annotated[Moment | None, about("Time at which its results and replays became public, or null.", None)]
    tables: Annotated[list[CupTableDocument], about("Tables of the round.")]
    byes: Annotated[list[str], about("Slugs of the bots with a bye.", ["opal"])]


class Rounds(Listing):
    """Returns the rounds of a cup that have begun, newest first."""

    document = CupRoundListed
    orders = orders("number", falling=True)

    @operation("cup_rounds", "List the rounds of a cup")
    def get(self, _request: Request, slug: str) -> Response:
        rounds: Any = CupRound.objects.filter(cup=cup_seen_by(self.viewer, slug)).annotate(count=Count("tables"))
        rows = self.part(rounds.values("pk", "number", "started", "ended", "byes", "count"))
        return self.answer([_listed_round(row) for row in rows])


def _listed_round(row: Mapping[str, Any]) -> CupRoundListed:
    shown = {name: row[name] for name in ("number", "started", "ended")}
    return CupRoundListed(**shown, tables=row["count"], byes=len(row["byes"]))


class OneRound(One):
    """Returns one round with its tables. Results and matches are public when the round has ended."""

    document = CupRoundDocument

    @operation("cup_round", "Get a round of a cup")
    def get(self, _request: Request, slug: str, number: int) -> Response:
        cup = cup_seen_by(self.viewer, slug)
        row = found(CupRound.objects.filter(cup=cup), "Round not found.", number=number)
        entrants = CupResults(cup).entrants
        tables = table_results(row, CupTable.objects.filter(round=row).order_by("index"), entrants)
        document = CupRoundDocument(
            number=row.number,
            started=row.started,
            ended=row.ended,
            tables=[_table(results) for results in tables],
            byes=[entrants[entrant].bot.slug for entrant in row.byes],
        )
        return self.answer(document)


def _table(results: TableResults) -> CupTableDocument:
    table, entrants = results.table, list[TableEntrantDocument]()
    for entrant in results.entrants:
        bot = entrant.entry.bot.slug
        entrants.append(
            TableEntrantDocument(bot=bot, points=entrant.points, match_points=entrant.match_points, left=entrant.left)
        )
    matches = list(results.matches)
    return CupTableDocument(
        table=table.index + 1, entrants=entrants, void=results.void, ruled=table.ruled, matches=matches
    )


# --- The ledger ------------------------------------------------------------------------------------------------------


class CupLedgerDocument(Document):
    """An entry of the ledger of a cup."""

    always = ("number",)

    number: Annotated[int, about("Number of the entry, from 1.", 1)]
    kind: Annotated[str, choice(CupLedgerEntry.Kind.values, "Kind of the entry.")]
    document: Annotated[dict[str, Any], about("Content of the entry. Its hash covers exactly these values.", {})]
    hash: Annotated[
        str, about("SHA-256 of the previous hash and this entry in hexadecimal; see the cup ledger.", EXAMPLE_DIGEST)
    ]
    reason: Annotated[str | None, about("Reason, or null if there is none or a moderator removed it.", None)]
    salt: Annotated[str | None, about("Salt of the reason in hexadecimal, or null without a reason.", None)]
    created: Annotated[Moment, about("Time of the entry.")]


class CupLedger(Listing):
    """Returns the ledger of a cup, oldest entry first. Anyone can use it to verify the cup."""

    document = CupLedgerDocument
    orders = orders("number")

    @operation("cup_ledger", "List the ledger entries of a cup")
    def get(self, _request: Request, slug: str) -> Response:
        entries = CupLedgerEntry.objects.filter(cup=cup_seen_by(self.viewer, slug))
        rows = self.part(entries.values("pk", *CupLedgerDocument.__struct_fields__))
        return self.answer([CupLedgerDocument(**{name: row[name] for name in row if name != "pk"}) for row in rows])
