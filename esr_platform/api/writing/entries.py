"""Bots join ladders, and leave them. Parse, one call, answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from esr_platform.api.writing.documents import StandingThere
from esr_platform.api.writing.refusing import refusals
from esr_platform.api.writing.view import Writing, person_of
from ladder.access import bot_changed_by, ladder_seen_by
from ladder.members import membership
from ladder.models import Entry


class StandsThere(Writing):
    """At ``/api/v1/ladders/{slug}/entries/{bot}``."""

    @extend_schema(operation_id="join_ladder", summary="Join a ladder", request=None, responses={200: StandingThere})
    def put(self, request: Request, slug: str, bot: str) -> Response:
        """Put a bot of yours on the ladder, or back on it with the rating that it had. Done twice, it is done once."""
        person = person_of(request)
        ladder, mine = ladder_seen_by(person, slug), bot_changed_by(person, bot)
        with refusals():
            entry = membership.join(mine, ladder)
        return Response(_document(entry))

    @extend_schema(operation_id="leave_ladder", summary="Leave a ladder", responses={200: StandingThere})
    def delete(self, request: Request, slug: str, bot: str) -> Response:
        """No new games there for a bot of yours until it joins again. Its rating stays; what is paired is played."""
        person = person_of(request)
        ladder, mine = ladder_seen_by(person, slug), bot_changed_by(person, bot)
        return Response(_document(membership.leave(mine, ladder)))


def _document(entry: Entry) -> dict[str, Any]:
    return {
        "ladder": entry.ladder.slug,
        "bot": entry.bot.slug,
        "active": entry.active,
        "declined": entry.declined,
        "rating": entry.points,
        "games": entry.games,
    }
