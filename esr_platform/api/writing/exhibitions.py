"""Request exhibition matches, and join or leave ladders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.core.exceptions import PermissionDenied
from django.urls import reverse
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from esr_platform.accounts.models import User
from esr_platform.api.authentication import viewer
from esr_platform.api.resources.views import HEADERS, ReadByEverybody
from esr_platform.api.writing.documents import EXHIBITION_FORMS, ExhibitionDocument, StandingThere
from esr_platform.api.writing.views import Writing, person_of, refusals
from ladder.access import bot_changed_by, ladder_seen_by
from ladder.exhibitions import requests
from ladder.exhibitions.choices import versions_named
from ladder.exhibitions.progress import Row, rows, scores
from ladder.members import memberships
from ladder.models import Block, Exhibition, Ladder, Match, Membership
from ladder.pages.exhibitions import exhibition_seen_by, may_cancel, players_of

# --- Ladders ---------------------------------------------------------------------------------------------------------


class StandsThere(Writing):
    """At ``/api/v1/ladders/{slug}/memberships/{bot}``."""

    @extend_schema(operation_id="join_ladder", summary="Join a ladder", request=None, responses={200: StandingThere})
    def put(self, request: Request, slug: str, bot: str) -> Response:
        """Put a bot of yours on the ladder, or back on it with the rating that it had. Done twice, it is done once."""
        person = person_of(request)
        ladder, mine = ladder_seen_by(person, slug), bot_changed_by(person, bot)
        with refusals():
            membership = memberships.join(mine, ladder)
        return Response(_membership_document(membership))

    @extend_schema(operation_id="leave_ladder", summary="Leave a ladder", responses={200: StandingThere})
    def delete(self, request: Request, slug: str, bot: str) -> Response:
        """No new games there for a bot of yours until it joins again. Its rating stays; what is paired is played."""
        person = person_of(request)
        ladder, mine = ladder_seen_by(person, slug), bot_changed_by(person, bot)
        return Response(_membership_document(memberships.leave(mine, ladder)))


def _membership_document(membership: Membership) -> dict[str, Any]:
    return {
        "ladder": membership.ladder.slug,
        "bot": membership.bot.slug,
        "active": membership.active,
        "declined": membership.declined,
        "rating": membership.points,
        "games": membership.games,
    }


# --- Exhibition matches ----------------------------------------------------------------------------------------------

_FORM = PolymorphicProxySerializer("NewOrder", dict(EXHIBITION_FORMS), "kind")


class Exhibitions(Writing):
    """At ``/api/v1/exhibitions``."""

    @extend_schema(
        operation_id="exhibition",
        summary="Order matches",
        request=_FORM,
        responses={201: ExhibitionDocument, 200: ExhibitionDocument},
    )
    def post(self, request: Request) -> Response:
        """Let bots play blocks on a ladder, unrated: a test, or a comparison of two versions of yours."""
        asked = _read(request.data)
        person = person_of(request)
        ladder = ladder_seen_by(person, asked["ladder"])
        known = Exhibition.objects.filter(token=asked.setdefault("key", uuid4())).exists()
        with refusals():
            exhibition = (_test if asked["kind"] == "test" else _comparison)(person, ladder, asked)
        address = {"Location": reverse("api:exhibition", args=(exhibition.pk,))}
        return Response(_exhibition_document(exhibition), 200 if known else 201, headers=address)


class OneExhibition(Writing):
    """At ``/api/v1/exhibitions/{order_id}``."""

    permission_classes = [ReadByEverybody]

    @extend_schema(
        operation_id="exhibition_state", summary="An order, with what came of it", responses=ExhibitionDocument
    )
    def get(self, request: Request, exhibition_id: int) -> Response:
        return Response(_exhibition_document(exhibition_seen_by(viewer(request), exhibition_id)), headers=HEADERS)

    @extend_schema(operation_id="cancel_exhibition", summary="Cancel an order", responses={200: ExhibitionDocument})
    def delete(self, request: Request, exhibition_id: int) -> Response:
        """What has begun is played out; what nobody has begun is not played."""
        person = person_of(request)
        exhibition = exhibition_seen_by(person, exhibition_id)
        if not may_cancel(exhibition, person):
            raise PermissionDenied("Only who ordered it can cancel it.")
        with refusals():
            requests.cancel(exhibition, person)
        return Response(_exhibition_document(exhibition_seen_by(person, exhibition_id)))


def _read(sent: Any) -> dict[str, Any]:
    """What is ordered. Raises ``ValidationError``."""
    kind = sent.get("kind") if isinstance(sent, Mapping) else None
    if kind not in tuple(EXHIBITION_FORMS):
        raise serializers.ValidationError({"kind": [f"Write one of: {', '.join(EXHIBITION_FORMS)}."]})
    form = EXHIBITION_FORMS[kind](data=sent)
    form.is_valid(raise_exception=True)
    asked: dict[str, Any] = form.validated_data
    return asked


def _test(person: User, ladder: Ladder, asked: Mapping[str, Any]) -> Exhibition:
    versions = versions_named(person, ladder, asked["players"])
    return requests.request_test(person, ladder, versions, asked["blocks"], asked["key"])


def _comparison(person: User, ladder: Ladder, asked: Mapping[str, Any]) -> Exhibition:
    named = [asked["candidate"], asked["baseline"], *asked["opponents"]]
    candidate, baseline, *others = versions_named(person, ladder, named)
    pair, most, margin = (candidate, baseline), asked["blocks"], asked["margin"]
    return requests.request_comparison(person, ladder, pair, others, most, margin, asked["key"])


def _exhibition_document(exhibition: Exhibition) -> dict[str, Any]:
    """Six queries."""
    lines = rows(exhibition, scores(exhibition), list(players_of(exhibition)))
    return {
        **{name: getattr(exhibition, name) for name in ("kind", "state", "reason", "margin", "verdict")},
        **{name: getattr(exhibition, name) for name in ("due_at", "created", "ended")},
        "id": exhibition.pk,
        "ladder": exhibition.ladder.slug,
        "blocks": exhibition.blocks_wanted,
        "blocks_ended": Block.objects.filter(exhibition=exhibition, ended__isnull=False).count(),
        "players": [_player(line) for line in lines],
        "matches": list(Match.objects.filter(block__exhibition=exhibition).order_by("pk").values_list("pk", flat=True)),
    }


def _player(line: Row) -> dict[str, Any]:
    mean = line.score
    score = None if mean is None else {"value": mean.value, "low": mean.low, "high": mean.high}
    return {"part": line.part, "bot": line.version.bot.slug, "version": line.version.number, "score": score}
