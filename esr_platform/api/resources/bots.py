"""Bots and their versions, and users."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Annotated, Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from bots.languages import LANGUAGES
from bots.models import Bot, BotVersion
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.api.authentication import viewer
from esr_platform.api.documents import EXAMPLE_DIGEST, Document, Moment, about, choice, operation
from esr_platform.api.parameters import Choice, Flag, Text
from esr_platform.api.resources.views import OLDEST, Listing, One, Reading, orders
from esr_platform.prepared import Prepared
from ladder.access import bot_seen_by, code_seen_by, found, judged, ladder_seen_by, may_read, public_among
from ladder.models import Ladder, Membership
from ladder.models.ladders import Viewer
from ladder.pages.bots import STANDS
from ladder.pages.people import person_at
from ladder.ratings.elo import points
from ladder.ratings.shares import WIN

# --- Owners ----------------------------------------------------------------------------------------------------------

NAMED: Final = judged(Bot.objects.only("slug", "owner", "kind"))
"""Bots with the fields that decide who may see them."""

HOUSE: Final = Q(owner=None, kind=Bot.Kind.HOSTED)
"""The house bots. Guests have no owner either."""

OWNER: Final = ("kind", "house_name", "owner__username", "owner__deleted")
"""The columns of a bot that ``owner_of`` needs."""


def owner_of(row: Mapping[str, Any], bot: str = "") -> dict[str, Any]:
    """The fields ``kind``, ``owner`` and ``house`` of a bot from a row with ``OWNER``, each after the prefix ``bot``.

    A deleted account is no owner. Guests belong to nobody, but are not house bots.
    """
    gone = row[f"{bot}owner__deleted"] is not None
    return {
        "kind": row[f"{bot}kind"],
        "owner": None if gone else row[f"{bot}owner__username"],
        "house": row[f"{bot}house_name"] not in ("", Bot.GUEST),
    }


def first_places(wins: int) -> float:
    """Wins, which are stored in 1/60, with four decimals."""
    return round(wins / WIN, 4)


# --- Documents -------------------------------------------------------------------------------------------------------

KIND: Final = choice(
    Bot.Kind.values, "`hosted` if its code runs here, `remote` if it runs elsewhere, `person` for a human player."
)
OWNED_BY: Final = about("User name; null for house bots and deleted accounts.", "miriam")
HOUSE_BOT: Final = about("Whether it is a house bot.")


class NamedBot(Document):
    """The fields that name a bot, or a human player, in the documents of seats and standings."""

    bot: Annotated[str, about("Slug of the bot.", "citrine")]
    name: Annotated[str, about("Name of the bot.", "Citrine")]
    kind: Annotated[str, KIND]
    owner: Annotated[str | None, OWNED_BY]
    house: Annotated[bool, HOUSE_BOT]


class PlaceDocument(Document):
    """The ladder membership of a bot."""

    ladder: Annotated[str, about("Slug of the ladder.", "edel-stein-reich-4")]
    rating: Annotated[float, about("Rating in points.", 1702.413)]
    games: Annotated[int, about("Rated games of the season.", 2048)]
    active: Annotated[bool, about("Whether the bot gets new games.", True)]


class BotListed(Document):
    """A bot, or a human player."""

    always = ("slug",)

    slug: Annotated[str, about("Its name in URLs.", "citrine")]
    name: Annotated[str, about("Its name on the site.", "Citrine")]
    kind: Annotated[str, KIND]
    description: Annotated[str, about("What its owner says about it.", "Counts gems.")]
    owner: Annotated[str | None, OWNED_BY]
    house: Annotated[bool, HOUSE_BOT]
    created: Annotated[Moment, about("When it was created.")]
    retired: Annotated[Moment | None, about("When its owner retired it.", None)]
    paused: Annotated[Moment | None, about("Since when it is paused.", None)]
    pause_reason: Annotated[str, about("Why it is paused; empty if it is not.", "")]
    suspended: Annotated[bool, about("Whether a site admin has removed it from its ladders.", False)]
    public_source: Annotated[bool, about("Whether everybody may download the code of the active version.", False)]
    version: Annotated[int | None, about("The active version; null without one, and for human players.", 3)]
    ladders: Annotated[list[PlaceDocument], about("The ladders that it is a member of.")]


class BotVersionListed(Document):
    """A version of a bot. Everybody sees the versions that were validated, the owner sees all of them."""

    always = ("number",)

    bot: Annotated[str, about("Slug of the bot.", "citrine")]
    number: Annotated[int, about("Number of the version, from 1.", 3)]
    label: Annotated[str, about("The name of a version of a remote bot; else empty.", "")]
    state: Annotated[str, choice(BotVersion.State.values, "State of the version.", "ready")]
    active: Annotated[bool, about("Whether new games get this version.", True)]
    digest: Annotated[str, about("SHA-256 of the code, hexadecimal.", EXAMPLE_DIGEST)]
    language: Annotated[str, about("`remote` for remote bots.", "python")]
    claims: Annotated[Any, about("The formats that it supports: seat counts by game.", {"edel-stein-reich": [3, 4, 5]})]
    created: Annotated[Moment, about("When it was created.")]
    checked: Annotated[Moment | None, about("When its validation ended.")]
    reason: Annotated[str | None, about("Why it was rejected; null for everybody but its owner.", None)]
    filename: Annotated[str | None, about("Name of the uploaded file; null for everybody but its owner.", None)]
    size: Annotated[int | None, about("Size of the archive in bytes; null for everybody but its owner.", None)]


class BotVersionDocument(BotVersionListed):
    """A version of a bot, with the result of its validation for the owner."""

    check_report: Annotated[
        Any, about("The result of every format that was tried; null for everybody but its owner.", None)
    ]


class BotDocument(BotListed):
    """A bot with its newest versions. Human players have no versions."""

    versions: Annotated[list[BotVersionListed], about("The newest versions, the newest first.")]


# --- Bots ------------------------------------------------------------------------------------------------------------

NEWEST: Final = 100
"""The maximum number of versions in the document of a bot."""

_PLAIN: Final = (
    *("slug", "name", "kind", "description", "created", "retired", "paused", "pause_reason", "public_source"),
)
_COLUMNS: Final = ("pk", *_PLAIN, "suspended", "house_name")
_BOTS: Final = Bot.objects.values(*_COLUMNS, "owner__username", "owner__deleted")
_WHOLE: Final = judged(Bot.objects.select_related("owner").only(*_COLUMNS, "owner__username", "owner__deleted"))
_PUBLIC: Final = ("number", "label", "state", "active", "digest", "language", "claims", "created", "checked")
_PRIVATE: Final = ("reason", "filename", "size")
_READY: Final = BotVersion.objects.filter(state=BotVersion.State.READY).values("pk", *_PUBLIC)
_OWN: Final = BotVersion.objects.values("pk", *_PUBLIC, *_PRIVATE)
_CHECKED: Final = _OWN.values("pk", *_PUBLIC, *_PRIVATE, "check_report")
_ACTIVE: Final = Prepared(
    lambda bots: BotVersion.objects.filter(active=True, bot__pk__in=bots).order_by().values("bot", "number")
)
_PLACES: Final = (
    Membership.objects.filter(STANDS).order_by("ladder").values_list("bot", "ladder__slug", "rating", "games", "active")
)


class _OwnToo(Reading):
    """A view of bots that shows owners everything about their own bots, with the scope ``read`` or ``upload``.

    With ``upload`` alone, staff see only public data of other users' bots.
    """

    @property
    def viewer(self) -> User | AnonymousUser:
        token = self.request.auth
        if not isinstance(token, Token) or token.allows(Scope.READ) or not token.allows(Scope.UPLOAD):
            return super().viewer
        owner = copy(token.user)
        owner.is_staff = owner.is_superuser = False
        return owner


class Bots(Listing):
    """Public bots, the oldest first. Human players are included only if `kind` requests them."""

    document = BotListed
    orders = OLDEST
    parameters = (
        Text("owner", "Only bots of this user.", pattern=r"^[\w.@+-]{1,150}$", shape="a user name", example="miriam"),
        Flag("house", "Only house bots, or only other bots."),
        Choice("kind", "Only hosted bots, only remote bots, or only human players.", words=Bot.Kind.values),
        Text("ladder", "Only bots on this ladder.", example="edel-stein-reich-4"),
        Choice("language", "Only bots whose active version is in this language.", words=(*LANGUAGES, "remote")),
    )

    @operation("bots", "List bots")
    def get(self, _request: Request) -> Response:
        asked, bots = self.asked, public_among(_BOTS)
        if asked["owner"]:
            bots = bots.filter(owner__username__iexact=asked["owner"], owner__deleted=None)
        if asked["house"] is not None:
            bots = bots.filter(HOUSE if asked["house"] else ~HOUSE)
        bots = bots.filter(kind=asked["kind"]) if asked["kind"] else bots.exclude(kind=Bot.Kind.PERSON)
        if asked["ladder"]:
            ladder = ladder_seen_by(self.viewer, asked["ladder"])
            bots = bots.filter(Exists(Membership.objects.filter(STANDS, ladder=ladder, bot=OuterRef("pk"))))
        if asked["language"]:
            playing = BotVersion.objects.filter(bot=OuterRef("pk"), active=True, language=asked["language"])
            bots = bots.filter(Exists(playing))
        return self.answer(_documents(self.part(bots), self.viewer))


class OneBot(_OwnToo, One):
    """A bot with its ladders and its newest versions. The owner sees all ladders and versions."""

    document = BotDocument

    @operation("bot", "Get a bot")
    def get(self, _request: Request, slug: str) -> Response:
        bot = bot_seen_by(self.viewer, slug, _WHOLE)
        row = {name: getattr(bot, name) for name in _COLUMNS}
        row |= {f"owner__{name}": getattr(bot.owner, name, None) for name in ("username", "deleted")}
        known = _documents([row], viewer(self.request))[0]  # a token with `upload` alone opens no private ladder
        newest: list[BotVersionListed] = []
        if bot.kind != Bot.Kind.PERSON:
            rows = _versions(bot, may_read(self.viewer, bot)).order_by("-number")[:NEWEST]
            newest = [_version(slug, one) for one in rows]
        return self.answer(BotDocument(**asdict(known), versions=newest))


class Versions(_OwnToo, Listing):
    """The versions of a bot that were validated, the newest first. The owner sees all versions."""

    document = BotVersionListed
    orders = orders("number", falling=True)

    @operation("versions", "List the versions of a bot")
    def get(self, _request: Request, slug: str) -> Response:
        bot = code_seen_by(self.viewer, slug, NAMED)
        part = self.part(_versions(bot, may_read(self.viewer, bot)))
        return self.answer([_version(slug, row) for row in part])


class OneVersion(_OwnToo, One):
    """A version of a bot, with the result of its validation for the owner."""

    document = BotVersionDocument

    @operation("version", "Get a version of a bot")
    def get(self, _request: Request, slug: str, number: int) -> Response:
        bot = code_seen_by(self.viewer, slug, NAMED)
        versions = _versions(bot, may_read(self.viewer, bot), _CHECKED)
        row = found(versions, f"{slug} has no version {number}.", number=number)
        return self.answer(BotVersionDocument(**asdict(_version(slug, row)), check_report=row.get("check_report")))


def _documents(rows: Sequence[Mapping[str, Any]], viewer: Viewer) -> list[BotListed]:
    """The documents of bots, with the ladders that ``viewer`` may see; two queries for all of them."""
    ids = [row["pk"] for row in rows]
    of_code = [row["pk"] for row in rows if row["kind"] != Bot.Kind.PERSON]
    playing = {row["bot"]: row["number"] for row in _ACTIVE(bots=of_code)}
    places: defaultdict[int, list[PlaceDocument]] = defaultdict(list)
    memberships = _PLACES.filter(bot__in=ids, ladder__in=Ladder.objects.visible_to(viewer))
    for bot, slug, rating, games, active in memberships:
        places[bot].append(PlaceDocument(ladder=slug, rating=points(rating), games=games, active=active))
    return [
        BotListed(
            **{name: row[name] for name in _PLAIN} | owner_of(row),
            suspended=row["suspended"] is not None,
            version=playing.get(row["pk"]),
            ladders=places[row["pk"]],
        )
        for row in rows
    ]


def _versions(
    bot: Bot, inside: bool, own: QuerySet[BotVersion, dict[str, Any]] = _OWN
) -> QuerySet[BotVersion, dict[str, Any]]:
    """The versions of a bot as rows: all, with the columns of ``own``, if ``inside``; else those that are ready."""
    return own.filter(bot=bot) if inside else _READY.filter(bot=bot)


def _version(slug: str, row: Mapping[str, Any]) -> BotVersionListed:
    """A version. Private columns that the row does not have are null."""
    private: dict[str, Any] = {name: row.get(name) for name in _PRIVATE}
    return BotVersionListed(bot=slug, **{name: row[name] for name in _PUBLIC}, **private)


def own_version(version: BotVersion) -> BotVersionDocument:
    """The document of a version for its owner."""
    names = BotVersionDocument.__struct_fields__[1:]
    return BotVersionDocument(bot=version.bot.slug, **{name: getattr(version, name) for name in names})


# --- Users -----------------------------------------------------------------------------------------------------------

_SLUGS: Final = Bot.objects.order_by("pk").values_list("slug", flat=True)
_OF_CODE: Final = _SLUGS.exclude(kind=Bot.Kind.PERSON)
_PLAYER: Final = _SLUGS.filter(kind=Bot.Kind.PERSON)


class PersonDocument(Document):
    """A user with the bots that are public."""

    always = ("username",)

    username: Annotated[str, about("User name.", "miriam")]
    since: Annotated[Moment, about("When the account was created.")]
    suspended: Annotated[bool, about("Whether a site admin has suspended the account.", False)]
    bots: Annotated[list[str], about("Slugs of the public bots.", ["citrine"])]
    player: Annotated[str | None, about("Slug under which the user plays; null before the first game.", "miriam")]


class Person(One):
    """A user with the bots that are public."""

    document = PersonDocument

    @operation("person", "Get a user")
    def get(self, request: Request, username: str) -> Response:
        person = person_at(username, viewer(request))
        return self.answer(
            PersonDocument(
                username=person.username,
                since=person.date_joined,
                suspended=person.suspended is not None,
                bots=list(public_among(_OF_CODE).filter(owner=person)),
                player=_PLAYER.filter(owner=person).first(),
            )
        )
