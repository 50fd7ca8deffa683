"""Bots and their versions, and people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from bots.languages import LANGUAGES
from bots.models import Bot, BotVersion
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.api.authentication import viewer
from esr_platform.api.resources.documents import (
    BotDocument,
    BotListed,
    BotVersionDocument,
    BotVersionListed,
    PersonDocument,
)
from esr_platform.api.resources.views import OLDEST, Choice, Flag, Listing, One, Order, Reading, Text
from esr_platform.prepared import Prepared
from ladder.access import bot_seen_by, code_seen_by, found, judged, ladder_seen_by, may_read, public_among
from ladder.models import Ladder, Membership
from ladder.models.ladders import Viewer
from ladder.pages.bots import STANDS
from ladder.pages.people import person_at
from ladder.ratings.elo import points
from ladder.ratings.shares import WIN

# --- Names -----------------------------------------------------------------------------------------------------------

NAMED: Final = judged(Bot.objects.only("slug", "owner", "kind"))
"""Bots of which only that is read by which one knows them, and whose they are."""

HOUSE: Final = Q(owner=None, kind=Bot.Kind.HOSTED)
"""The bots of the house. Guests belong to nobody, too."""

OWNER: Final = ("kind", "house_name", "owner__username", "owner__deleted")
"""What a query reads of a bot to say what it is, and whose."""


def owner_of(row: Mapping[str, Any], bot: str = "") -> dict[str, Any]:
    """What it is and whose, from a row in which ``bot`` stands before the fields of ``OWNER``.

    Nobody finds who has left. Guests are people of nobody, and not the house's.
    """
    gone = row[f"{bot}owner__deleted"] is not None
    return {
        "kind": row[f"{bot}kind"],
        "owner": None if gone else row[f"{bot}owner__username"],
        "house": row[f"{bot}house_name"] not in ("", Bot.GUEST),
    }


def first_places(wins: int) -> float:
    """Wins, kept in 1/60, with four decimals."""
    return round(wins / WIN, 4)


# --- Bots ------------------------------------------------------------------------------------------------------------

NEWEST: Final = 100
"""So many versions come with a bot."""

_PLAIN: Final = ("slug", "name", "kind", "description", "created", "retired", "paused", "pause_reason")
_BOT: Final = tuple(dict.fromkeys((*_PLAIN, "suspended", "public_source", *OWNER)))
_OF_BOT: Final = ("pk", *_PLAIN, "suspended", "public_source", "house_name")
_PUBLIC: Final = ("number", "label", "state", "active", "digest", "language", "claims", "created", "checked")
_PRIVATE: Final = ("reason", "filename", "size")
_BOTS: Final = Bot.objects.values("pk", *_BOT)
_WHOLE: Final = judged(Bot.objects.select_related("owner").only(*_OF_BOT, "owner__username", "owner__deleted"))
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
        owner.is_staff = owner.is_superuser = False  # of others' bots it opens nothing
        return owner


class Bots(Listing):
    """The bots that everybody knows of, in the order in which they came. People come where ``kind`` asks for them."""

    document = BotListed
    always = ("slug",)
    orders = OLDEST
    parameters = (
        Text("owner", "only bots of this person", pattern=r"^[\w.@+-]{1,150}$", shape="a user name", example="miriam"),
        Flag("house", "only house bots, or only people's"),
        Choice("kind", "only bots whose code runs here, or elsewhere; or people", words=Bot.Kind.values),
        Text("ladder", "only bots that stand on this ladder", example="edel-stein-reich-4"),
        Choice("language", "only bots that play with a program in this language", words=(*LANGUAGES, "remote")),
    )

    @extend_schema(operation_id="bots", summary="Bots")
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
        part = self.part(bots)
        return self.answer(part, documents(part[: asked["limit"]], self.viewer))


class OneBot(_OwnToo, One):
    """One bot, with where it stands and its newest versions; its owner sees all of these."""

    document = BotDocument
    always = ("slug",)

    @extend_schema(operation_id="bot", summary="A bot")
    def get(self, _request: Request, slug: str) -> Response:
        bot = bot_seen_by(self.viewer, slug, _WHOLE)
        row = {name: getattr(bot, name) for name in _OF_BOT}
        row |= {f"owner__{name}": getattr(bot.owner, name, None) for name in ("username", "deleted")}
        known = documents([row], viewer(self.request))[0]  # a token that may only upload opens no private ladder
        by_hand = bot.kind == Bot.Kind.PERSON
        return self.answer({**known, "versions": [] if by_hand else _newest(bot, may_read(self.viewer, bot))})


class Versions(_OwnToo, Listing):
    """The versions of a bot that were ready, the newest first; its owner sees all of them."""

    document = BotVersionListed
    always = ("number",)
    orders = {"-number": Order("number", falling=True), "number": Order("number")}

    @extend_schema(operation_id="versions", summary="Versions of a bot")
    def get(self, _request: Request, slug: str) -> Response:
        bot = code_seen_by(self.viewer, slug, NAMED)
        inside = may_read(self.viewer, bot)
        part = self.part(_versions(bot, inside))
        return self.answer(part, [_version(slug, row) for row in part])


class OneVersion(_OwnToo, One):
    """One version of a bot, with what its check has found for its owner."""

    document = BotVersionDocument
    always = ("number",)

    @extend_schema(operation_id="version", summary="A version of a bot")
    def get(self, _request: Request, slug: str, number: int) -> Response:
        bot = code_seen_by(self.viewer, slug, NAMED)
        inside = may_read(self.viewer, bot)
        row = found(_versions(bot, inside, _CHECKED), f"{slug} has no version {number}.", number=number)
        return self.answer({**_version(slug, row), "check_report": row.get("check_report")})


def documents(rows: Sequence[Mapping[str, Any]], viewer: Viewer) -> list[dict[str, Any]]:
    """The documents of bots, with the ladders that ``viewer`` may see; two queries for all of them."""
    ids = [row["pk"] for row in rows]
    of_code = [row["pk"] for row in rows if row["kind"] != Bot.Kind.PERSON]
    playing = {row["bot"]: row["number"] for row in _ACTIVE(bots=of_code)}
    places: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    memberships = _PLACES.filter(bot__in=ids, ladder__in=Ladder.objects.visible_to(viewer))
    for bot, slug, rating, games, active in memberships:
        places[bot].append({"ladder": slug, "rating": points(rating), "games": games, "active": active})
    return [
        {name: row[name] for name in (*_PLAIN, "public_source")}
        | owner_of(row)
        | {"suspended": row["suspended"] is not None, "version": playing.get(row["pk"]), "ladders": places[row["pk"]]}
        for row in rows
    ]


def _newest(bot: Bot, inside: bool) -> list[dict[str, Any]]:
    return [_version(bot.slug, row) for row in _versions(bot, inside).order_by("-number")[:NEWEST]]


def _versions(
    bot: Bot, inside: bool, own: QuerySet[BotVersion, dict[str, Any]] = _OWN
) -> QuerySet[BotVersion, dict[str, Any]]:
    """The versions of a bot as rows: ``own`` is what its owner reads of them; everybody else reads those ready."""
    return own.filter(bot=bot) if inside else _READY.filter(bot=bot)


def _version(slug: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """A version; what is its owner's alone is null for everybody else."""
    return {
        "bot": slug,
        **{name: row[name] for name in _PUBLIC},
        **{name: row.get(name) for name in _PRIVATE},
    }


# --- People ----------------------------------------------------------------------------------------------------------

_SLUGS: Final = Bot.objects.order_by("pk").values_list("slug", flat=True)
_OF_CODE: Final = _SLUGS.exclude(kind=Bot.Kind.PERSON)
_PLAYER: Final = _SLUGS.filter(kind=Bot.Kind.PERSON)


class Person(One):
    """Somebody with an account, and the bots of theirs that everybody knows of."""

    document = PersonDocument
    always = ("username",)

    @extend_schema(operation_id="person", summary="A person")
    def get(self, request: Request, username: str) -> Response:
        person = person_at(username, viewer(request))
        bots = public_among(_OF_CODE).filter(owner=person)
        return self.answer(
            {
                "username": person.username,
                "since": person.date_joined,
                "suspended": person.suspended is not None,
                "bots": list(bots),
                "player": _PLAYER.filter(owner=person).first(),
            }
        )
