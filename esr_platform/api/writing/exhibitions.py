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
from esr_platform.api.writing.documents import ORDERS, OrderDocument, StandingThere
from esr_platform.api.writing.views import Writing, person_of, refusals
from ladder.access import bot_changed_by, ladder_seen_by
from ladder.exhibitions import requests
from ladder.exhibitions.choices import versions_named
from ladder.exhibitions.progress import Row, rows, scores
from ladder.members import membership
from ladder.models import Block, Entry, Ladder, Match, Order
from ladder.pages.exhibitions import may_cancel, order_seen_by, players_of

# --- Ladders ---------------------------------------------------------------------------------------------------------


class StandsThere(Writing):
    """At ``/api/v1/ladders/{slug}/entries/{bot}``."""

    @extend_schema(operation_id="join_ladder", summary="Join a ladder", request=None, responses={200: StandingThere})
    def put(self, request: Request, slug: str, bot: str) -> Response:
        """Put a bot of yours on the ladder, or back on it with the rating that it had. Done twice, it is done once."""
        person = person_of(request)
        ladder, mine = ladder_seen_by(person, slug), bot_changed_by(person, bot)
        with refusals():
            entry = membership.join(mine, ladder)
        return Response(_membership_document(entry))

    @extend_schema(operation_id="leave_ladder", summary="Leave a ladder", responses={200: StandingThere})
    def delete(self, request: Request, slug: str, bot: str) -> Response:
        """No new games there for a bot of yours until it joins again. Its rating stays; what is paired is played."""
        person = person_of(request)
        ladder, mine = ladder_seen_by(person, slug), bot_changed_by(person, bot)
        return Response(_membership_document(membership.leave(mine, ladder)))


def _membership_document(entry: Entry) -> dict[str, Any]:
    return {
        "ladder": entry.ladder.slug,
        "bot": entry.bot.slug,
        "active": entry.active,
        "declined": entry.declined,
        "rating": entry.points,
        "games": entry.games,
    }


# --- Exhibition matches ----------------------------------------------------------------------------------------------

_FORM = PolymorphicProxySerializer("NewOrder", dict(ORDERS), "kind")


class Orders(Writing):
    """At ``/api/v1/orders``."""

    @extend_schema(
        operation_id="order", summary="Order matches", request=_FORM, responses={201: OrderDocument, 200: OrderDocument}
    )
    def post(self, request: Request) -> Response:
        """Let bots play blocks on a ladder, unrated: a test, or a comparison of two versions of yours."""
        asked = _read(request.data)
        person = person_of(request)
        ladder = ladder_seen_by(person, asked["ladder"])
        known = Order.objects.filter(token=asked.setdefault("key", uuid4())).exists()
        with refusals():
            order = (_test if asked["kind"] == "test" else _comparison)(person, ladder, asked)
        address = {"Location": reverse("api:order", args=(order.pk,))}
        return Response(_exhibition_document(order), 200 if known else 201, headers=address)


class OneOrder(Writing):
    """At ``/api/v1/orders/{order_id}``."""

    permission_classes = [ReadByEverybody]

    @extend_schema(operation_id="order_state", summary="An order, with what came of it", responses=OrderDocument)
    def get(self, request: Request, order_id: int) -> Response:
        return Response(_exhibition_document(order_seen_by(viewer(request), order_id)), headers=HEADERS)

    @extend_schema(operation_id="cancel_order", summary="Cancel an order", responses={200: OrderDocument})
    def delete(self, request: Request, order_id: int) -> Response:
        """What has begun is played out; what nobody has begun is not played."""
        person = person_of(request)
        order = order_seen_by(person, order_id)
        if not may_cancel(order, person):
            raise PermissionDenied("Only who ordered it can cancel it.")
        with refusals():
            requests.cancel(order, person)
        return Response(_exhibition_document(order_seen_by(person, order_id)))


def _read(sent: Any) -> dict[str, Any]:
    """What is ordered. Raises ``ValidationError``."""
    kind = sent.get("kind") if isinstance(sent, Mapping) else None
    if kind not in tuple(ORDERS):
        raise serializers.ValidationError({"kind": [f"Write one of: {', '.join(ORDERS)}."]})
    form = ORDERS[kind](data=sent)
    form.is_valid(raise_exception=True)
    asked: dict[str, Any] = form.validated_data
    return asked


def _test(person: User, ladder: Ladder, asked: Mapping[str, Any]) -> Order:
    versions = versions_named(person, ladder, asked["players"])
    return requests.order_test(person, ladder, versions, asked["blocks"], asked["key"])


def _comparison(person: User, ladder: Ladder, asked: Mapping[str, Any]) -> Order:
    named = [asked["candidate"], asked["baseline"], *asked["opponents"]]
    candidate, baseline, *others = versions_named(person, ladder, named)
    pair, most, margin = (candidate, baseline), asked["blocks"], asked["margin"]
    return requests.order_comparison(person, ladder, pair, others, most, margin, asked["key"])


def _exhibition_document(order: Order) -> dict[str, Any]:
    """Six queries."""
    lines = rows(order, scores(order), list(players_of(order)))
    return {
        **{name: getattr(order, name) for name in ("kind", "state", "reason", "margin", "verdict")},
        **{name: getattr(order, name) for name in ("due_at", "created", "ended")},
        "id": order.pk,
        "ladder": order.ladder.slug,
        "blocks": order.blocks_wanted,
        "blocks_ended": Block.objects.filter(order=order, ended__isnull=False).count(),
        "players": [_player(line) for line in lines],
        "matches": list(Match.objects.filter(block__order=order).order_by("pk").values_list("pk", flat=True)),
    }


def _player(line: Row) -> dict[str, Any]:
    mean = line.score
    score = None if mean is None else {"value": mean.value, "low": mean.low, "high": mean.high}
    return {"part": line.part, "bot": line.version.bot.slug, "version": line.version.number, "score": score}
