"""Bots and their versions, and users."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Annotated, Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from bots.languages import LANGUAGES
from bots.models import Bot, BotVersion
from bots.names import BotName, owner_name
from bots.programs import active_versions
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.api.authentication import viewer
from esr_platform.api.documents import EXAMPLE_DIGEST, Document, Moment, about, choice, operation
from esr_platform.api.parameters import ChoiceParameter, Flag, Text
from esr_platform.api.resources.views import OLDEST, Listing, One, Reading, orders
from ladder.access import (
    bot_seen_by,
    code_seen_by,
    found,
    judged,
    ladder_seen_by,
    may_read,
    person_seen_by,
    public_among,
)
from ladder.models import Ladder, Membership
from ladder.models.ladders import Viewer
from ladder.ratings.elo import points

# --- Owners ----------------------------------------------------------------------------------------------------------

NAMED: Final = judged(Bot.objects.only("slug", "owner", "kind"))
"""Bots with the columns that decide who can see them."""

HOUSE: Final = Q(owner=None, kind=Bot.Kind.HOSTED)
"""House bots. Guests have no owner either, but are not hosted."""


def named_bot(bot: Bot | BotName) -> dict[str, Any]:
    """Return the fields of ``NamedBot``."""
    house = bot.house_name not in ("", Bot.GUEST)
    return {"bot": bot.slug, "name": bot.name, "kind": bot.kind, "owner": owner_name(bot), "house": house}


# --- Documents -------------------------------------------------------------------------------------------------------

KIND: Final = choice(
    Bot.Kind.values,
    "`hosted`: a bot that runs on the site; `remote`: a bot that its owner runs; `person`: a human player.",
)
OWNED_BY: Final = about("Username of the owner; null for house bots, guests and deleted accounts.", "miriam")
HOUSE_BOT: Final = about("Whether the bot is a house bot.")


class NamedBot(Document):
    """The fields that identify a bot or human player in seats and standings."""

    bot: Annotated[str, about("Slug of the bot.", "citrine")]
    name: Annotated[str, about("Name of the bot.", "Citrine")]
    kind: Annotated[str, KIND]
    owner: Annotated[str | None, OWNED_BY]
    house: Annotated[bool, HOUSE_BOT]


class BotMembershipDocument(Document):
    """A ladder membership of a bot."""

    ladder: Annotated[str, about("Slug of the ladder.", "edel-stein-reich-4")]
    rating: Annotated[float, about("Rating in points.", 1702.413)]
    games: Annotated[int, about("Rated games in the season.", 2048)]
    active: Annotated[bool, about("Whether the bot gets new games.", True)]


class BotListed(Document):
    """A bot, or a human player."""

    always = ("slug",)

    slug: Annotated[str, about("Slug, the name in URLs.", "citrine")]
    name: Annotated[str, about("Display name.", "Citrine")]
    kind: Annotated[str, KIND]
    description: Annotated[str, about("Description by the owner.", "Counts gems.")]
    owner: Annotated[str | None, OWNED_BY]
    house: Annotated[bool, HOUSE_BOT]
    created: Annotated[Moment, about("Time of creation.")]
    retired: Annotated[Moment | None, about("Time at which the owner retired the bot, or null.", None)]
    paused: Annotated[Moment | None, about("Time at which the bot was paused, or null.", None)]
    pause_reason: Annotated[str, about("Reason for the pause, or empty.", "")]
    suspended: Annotated[bool, about("Whether a moderator has suspended the bot from all ladders.", False)]
    public_source: Annotated[bool, about("Whether the code of the active version is public.", False)]
    version: Annotated[int | None, about("Number of the active version; null without one and for human players.", 3)]
    ladders: Annotated[list[BotMembershipDocument], about("Ladder memberships.")]


class BotVersionListed(Document):
    """A version of a bot. The owner sees all versions; other users see the validated versions."""

    always = ("number",)

    bot: Annotated[str, about("Slug of the bot.", "citrine")]
    number: Annotated[int, about("Number of the version, from 1.", 3)]
    label: Annotated[str, about("Label of a remote bot's version; empty for hosted bots.", "")]
    state: Annotated[str, choice(BotVersion.State.values, "State of the version.", "ready")]
    active: Annotated[bool, about("Whether this version plays new games.", True)]
    digest: Annotated[str, about("SHA-256 of the code in hexadecimal.", EXAMPLE_DIGEST)]
    language: Annotated[str, about("Programming language; `remote` for remote bots.", "python")]
    claims: Annotated[Any, about("Supported formats: seat counts by game.", {"edel-stein-reich": [3, 4, 5]})]
    created: Annotated[Moment, about("Time of creation.")]
    checked: Annotated[Moment | None, about("Time at which the validation ended, or null.")]
    reason: Annotated[
        str | None, about("Why the version is rejected or undecided; visible to the owner, else null.", None)
    ]
    retry_at: Annotated[
        Moment | None, about("Next attempt to validate an undecided version; visible to the owner, else null.", None)
    ]
    filename: Annotated[str | None, about("Name of the uploaded file; visible to the owner, else null.", None)]
    size: Annotated[int | None, about("Size of the archive in bytes; visible to the owner, else null.", None)]


class NoticeDocument(Document):
    """Something that the author should know about an accepted upload."""

    code: Annotated[str, about("Identifies the kind of notice.", "hidden_files")]
    text: Annotated[str, about("A sentence for people.", "Left out .git: …")]


class BotVersionDocument(BotVersionListed):
    """A version of a bot with its notices and its validation report, which only the owner sees."""

    notices: Annotated[
        list[NoticeDocument] | None, about("Notices about the upload; visible to the owner, else null.", None)
    ]

    validation_report: Annotated[
        Any, about("Validation report with the result of each format; visible to the owner, else null.", None)
    ]


class BotDocument(BotListed):
    """A bot with its newest versions. Human players have no versions."""

    versions: Annotated[list[BotVersionListed], about("Up to 100 versions, newest first.")]


# --- Bots ------------------------------------------------------------------------------------------------------------

NEWEST: Final = 100
"""Maximum number of versions in the document of a bot."""

_PLAIN: Final = (
    *("slug", "name", "kind", "description", "created", "retired", "paused", "pause_reason", "public_source"),
)
_COLUMNS: Final = ("pk", *_PLAIN, "suspended", "house_name")
_BOTS: Final = Bot.objects.values(*_COLUMNS, "owner__username", "owner__deleted")
_WHOLE: Final = judged(Bot.objects.select_related("owner").only(*_COLUMNS, "owner__username", "owner__deleted"))
_PUBLIC: Final = ("number", "label", "state", "active", "digest", "language", "created")
_COLUMNS_OF: Final = {"claims": "formats", "checked": "validated"}
"""Fields of the API whose columns have other names."""

_RENAMED: Final = {name: F(column) for name, column in _COLUMNS_OF.items()}

_PRIVATE: Final = ("reason", "retry_at", "filename", "size")
_READY: Final = BotVersion.objects.filter(state=BotVersion.State.READY).values("pk", *_PUBLIC, **_RENAMED)
_OWN: Final = BotVersion.objects.values("pk", *_PUBLIC, *_PRIVATE, **_RENAMED)
_WITH_REPORT: Final = BotVersion.objects.values("pk", *_PUBLIC, *_PRIVATE, "notices", "validation_report", **_RENAMED)
_MEMBERSHIPS: Final = (
    Membership.objects.listed().order_by("ladder").values_list("bot", "ladder__slug", "rating", "games", "active")
)


class _OwnToo(Reading):
    """A view that shows owners all data about their bots, with the scope ``read`` or ``upload``.

    With ``upload`` alone, staff members see only public data of other users' bots.
    """

    @property
    def viewer(self) -> User | AnonymousUser:
        token = self.request.auth
        if not isinstance(token, Token) or token.allows(Scope.READ) or not token.allows(Scope.UPLOAD):
            return super().viewer
        owner = copy(token.user)
        owner.role = ""
        return owner


class Bots(Listing):
    """At ``/api/v1/bots``."""

    document = BotListed
    orders = OLDEST
    parameters = (
        Text("owner", "Only bots of this user.", pattern=r"^[\w.@+-]{1,150}$", shape="a username", example="miriam"),
        Flag("house", "`true`: only house bots; `false`: only other bots."),
        ChoiceParameter("kind", "Only bots of this kind; by default hosted and remote bots.", words=Bot.Kind.values),
        Text("ladder", "Only bots on this ladder.", example="edel-stein-reich-4"),
        ChoiceParameter(
            "language", "Only bots whose active version is written in this language.", words=(*LANGUAGES, "remote")
        ),
    )

    @operation("bots", "List bots")
    def get(self, _request: Request) -> Response:
        """Returns all public bots, oldest first. To list human players, set `kind` to `person`."""
        asked, bots = self.asked, public_among(_BOTS)
        if asked["owner"]:
            bots = bots.filter(owner__username__iexact=asked["owner"], owner__deleted=None)
        if asked["house"] is not None:
            bots = bots.filter(HOUSE if asked["house"] else ~HOUSE)
        bots = bots.filter(kind=asked["kind"]) if asked["kind"] else bots.exclude(kind=Bot.Kind.PERSON)
        if asked["ladder"]:
            ladder = ladder_seen_by(self.viewer, asked["ladder"])
            bots = bots.filter(Exists(Membership.objects.listed().filter(ladder=ladder, bot=OuterRef("pk"))))
        if asked["language"]:
            playing = BotVersion.objects.filter(bot=OuterRef("pk"), active=True, language=asked["language"])
            bots = bots.filter(Exists(playing))
        return self.answer(_documents(self.part(bots), self.viewer))


class OneBot(_OwnToo, One):
    """Returns a bot with its ladder memberships and newest versions.

    Only the owner sees private ladders and versions that are not validated.
    """

    document = BotDocument

    @operation("bot", "Get a bot")
    def get(self, _request: Request, slug: str) -> Response:
        bot = bot_seen_by(self.viewer, slug, _WHOLE)
        row = {name: getattr(bot, name) for name in _COLUMNS}
        row |= {f"owner__{name}": getattr(bot.owner, name, None) for name in ("username", "deleted")}
        known = _documents([row], viewer(self.request))[0]  # `upload` alone does not show private ladders
        newest: list[BotVersionListed] = []
        if bot.kind != Bot.Kind.PERSON:
            rows = _versions(bot, may_read(self.viewer, bot)).order_by("-number")[:NEWEST]
            newest = [_version(slug, version) for version in rows]
        return self.answer(BotDocument(**asdict(known), versions=newest))


class Versions(_OwnToo, Listing):
    """At ``/api/v1/bots/{slug}/versions``."""

    document = BotVersionListed
    orders = orders("number", falling=True)

    @operation("versions", "List the versions of a bot")
    def get(self, _request: Request, slug: str) -> Response:
        """Returns the validated versions of a bot, newest first. The owner gets all versions."""
        bot = code_seen_by(self.viewer, slug, NAMED)
        part = self.part(_versions(bot, may_read(self.viewer, bot)))
        return self.answer([_version(slug, row) for row in part])


class OneVersion(_OwnToo, One):
    """Returns one version. Owners also get the state and report of the validation."""

    document = BotVersionDocument

    @operation("version", "Get a version of a bot")
    def get(self, _request: Request, slug: str, number: int) -> Response:
        bot = code_seen_by(self.viewer, slug, NAMED)
        versions = _versions(bot, may_read(self.viewer, bot), _WITH_REPORT)
        row = found(versions, f"Version {number} of {slug} not found.", number=number)
        private: dict[str, Any] = {"notices": row.get("notices"), "validation_report": row.get("validation_report")}
        return self.answer(BotVersionDocument(**asdict(_version(slug, row)), **private))


def _documents(rows: Sequence[Mapping[str, Any]], viewer: Viewer) -> list[BotListed]:
    """Return the documents of bots with the ladders that ``viewer`` can see. Makes two queries."""
    ids = [row["pk"] for row in rows]
    versions = active_versions(ids)
    ladders: defaultdict[int, list[BotMembershipDocument]] = defaultdict(list)
    memberships = _MEMBERSHIPS.filter(bot__in=ids, ladder__in=Ladder.objects.visible_to(viewer))
    for bot, slug, rating, games, active in memberships:
        ladders[bot].append(BotMembershipDocument(ladder=slug, rating=points(rating), games=games, active=active))
    return [
        BotListed(
            **{name: row[name] for name in _PLAIN},
            owner=None if row["owner__deleted"] is not None else row["owner__username"],
            house=row["house_name"] not in ("", Bot.GUEST),
            suspended=row["suspended"] is not None,
            version=versions.get(row["pk"]),
            ladders=ladders[row["pk"]],
        )
        for row in rows
    ]


def _versions(
    bot: Bot, inside: bool, own: QuerySet[BotVersion, dict[str, Any]] = _OWN
) -> QuerySet[BotVersion, dict[str, Any]]:
    """Return rows of all versions of a bot with the columns of ``own`` if ``inside``, else of validated versions."""
    return own.filter(bot=bot) if inside else _READY.filter(bot=bot)


def _version(slug: str, row: Mapping[str, Any]) -> BotVersionListed:
    """Return a version. Private columns that are missing in the row are null."""
    private: dict[str, Any] = {name: row.get(name) for name in _PRIVATE}
    return BotVersionListed(bot=slug, **{name: row[name] for name in (*_PUBLIC, *_RENAMED)}, **private)


def own_version(version: BotVersion) -> BotVersionDocument:
    """Return the document of a version for its owner."""
    names = BotVersionDocument.__struct_fields__[1:]
    return BotVersionDocument(
        bot=version.bot.slug, **{name: getattr(version, _COLUMNS_OF.get(name, name)) for name in names}
    )


# --- Users -----------------------------------------------------------------------------------------------------------

_SLUGS: Final = Bot.objects.order_by("pk").values_list("slug", flat=True)
_OF_CODE: Final = _SLUGS.exclude(kind=Bot.Kind.PERSON)
_PLAYER: Final = _SLUGS.filter(kind=Bot.Kind.PERSON)


class PersonDocument(Document):
    """The public profile of a user."""

    always = ("username",)

    username: Annotated[str, about("Username.", "miriam")]
    since: Annotated[Moment, about("Time at which the account was created.")]
    suspended: Annotated[bool, about("Whether a moderator has suspended the account.", False)]
    bots: Annotated[list[str], about("Slugs of the user's public bots.", ["citrine"])]
    player: Annotated[str | None, about("Slug of the user as a human player; null before the first game.", "miriam")]


class Person(One):
    """Returns the public profile of a user."""

    document = PersonDocument

    @operation("person", "Get a user")
    def get(self, request: Request, username: str) -> Response:
        person = person_seen_by(viewer(request), username)
        return self.answer(
            PersonDocument(
                username=person.username,
                since=person.date_joined,
                suspended=person.suspended is not None,
                bots=list(public_among(_OF_CODE).filter(owner=person)),
                player=_PLAYER.filter(owner=person).first(),
            )
        )
