"""Challenges: casual live games that a user proposes to other users."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Annotated, Final

import msgspec
from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from bots.models import Bot
from esr_platform.accounts.models import Scope, Token
from esr_platform.api.authentication import BOT_PARAMETER, player_of
from esr_platform.api.documents import Document, Form, Moment, Slug, about, choice, operation, read_body
from esr_platform.api.http import Refusal, refusals
from esr_platform.api.resources.views import Writing, person_of, token_of
from ladder.access import bot_seen_by, challenges_seen_by, ladder_seen_by
from ladder.matchmaking.lobby import challenge_documents
from ladder.matchmaking.proposals import answer, challenge, withdraw
from ladder.models import Proposal

LISTED: Final = 100
_LADDER: Final = "edel-stein-reich-duel-open"


class ChallengeForm(Form):
    """A new challenge. At least one bot must be yours, and at least one must be a remote bot."""

    ladder: Annotated[Slug, about("Slug of a ladder with live games. The limits of the ladder apply.", _LADDER)]
    bots: Annotated[list[Slug], about("Slugs of the bots, by seat.", ["garnet", "opal"], min_length=2, max_length=5)]


class ChallengedDocument(Document):
    """A player of a challenge."""

    bot: Annotated[str, about("Slug of the bot.", "garnet")]
    name: Annotated[str, about("Name of the bot.", "Garnet")]
    owner: Annotated[str | None, about("Username of the owner.", "miriam")]
    accepted: Annotated[
        bool | None, about("Whether the player has accepted; null before the player has answered.", None)
    ]


class ChallengeDocument(Document):
    """A proposed game. It begins when all players have accepted."""

    id: Annotated[int, about("Id of the challenge.", 12)]
    ladder: Annotated[str, about("Slug of the ladder.", _LADDER)]
    game: Annotated[str, about("Slug of the game.", "edel-stein-reich-duel")]
    seats: Annotated[int, about("Number of seats.", 2)]
    by: Annotated[str, about("Username of the challenger.", "miriam")]
    state: Annotated[str, choice(Proposal.State.values, "State of the challenge.")]
    players: Annotated[list[ChallengedDocument], about("Players by seat.")]
    rated: Annotated[bool, about("Whether the game is rated. Only human players can propose rated games.", False)]
    limits: Annotated[dict[str, int], about("Limits per player, in ms and MiB.", {"move_ms": 5000})]
    expires: Annotated[Moment, about("Time at which the challenge expires.")]
    match: Annotated[int | None, about("Id of the match; null before the game begins.", None)]


class OpenChallenges(Document):
    """Your open challenges."""

    results: Annotated[list[ChallengeDocument], about("Up to 100 open challenges, newest first.")]


class _Challenging(Writing):
    """A view of challenges. A bot token gives access only to challenges with this bot."""

    scope = Scope.PLAY

    @property
    def throttle_scope(self) -> str:
        return "play"

    @property
    def seen(self) -> QuerySet[Proposal]:
        """Challenges that are visible to the token."""
        token = token_of(self.request)
        challenges = challenges_seen_by(token.user)
        return challenges if token.bot_id is None else challenges.filter(players__bot=token.bot_id)

    def found(self, challenge_id: int) -> Proposal:
        """Return the challenge with this id. Raises ``Http404``."""
        made = self.seen.filter(pk=challenge_id).first()
        if made is None:
            raise Http404("Challenge not found, or you and your bots do not take part in it.")
        return made


class Challenges(_Challenging):
    """At ``/api/v1/challenges``."""

    @operation("challenges", "List your open challenges", OpenChallenges)
    def get(self, _request: Request) -> Response:
        """Returns the open challenges that you created and those to your bots, newest first."""
        still_open = self.seen.filter(state=Proposal.State.OPEN).order_by("-pk")
        return Response(OpenChallenges(results=_documents(still_open[:LISTED])))

    @operation("challenge", "Create a challenge", ChallengeDocument, body=ChallengeForm, statuses=(201,))
    def post(self, request: Request) -> Response:
        """Proposes a casual game. Remote bots of other users must be online and must accept the challenge.

        If the same challenge is already open, it is returned.
        """
        form = read_body(request.data, ChallengeForm)
        person, token = person_of(request), token_of(request)
        ladder = ladder_seen_by(person, form.ladder)
        bots = [_bot(token, slug) for slug in form.bots]
        if token.bot_id is not None and token.bot_id not in {bot.pk for bot in bots}:
            raise PermissionDenied("A bot token can only create challenges with its own bot. Add this bot to 'bots'.")
        if any(bot.kind == Bot.Kind.PERSON and bot.owner_id == person.pk for bot in bots):
            raise PermissionDenied(
                "You cannot take a seat yourself by API. Sign in and create the challenge on the site."
            )
        with refusals():
            made = challenge(person, ladder, bots)
        headers = {"Location": reverse("api:challenge", args=(made.pk,))}
        return Response(_documents([made])[0], HTTPStatus.CREATED, headers=headers)


class OneChallenge(_Challenging):
    """At ``/api/v1/challenges/{challenge_id}``."""

    @operation("challenge_state", "Get a challenge", ChallengeDocument)
    def get(self, _request: Request, challenge_id: int) -> Response:
        """Returns a challenge that you created, or that was sent to one of your bots."""
        return Response(_documents([self.found(challenge_id)])[0])


class Acceptance(_Challenging):
    """At ``/api/v1/challenges/{challenge_id}/accept``."""

    accepted = True

    @operation("accept_challenge", "Accept a challenge", ChallengeDocument, query=(BOT_PARAMETER,))
    def post(self, request: Request, challenge_id: int) -> Response:
        """Accepts a challenge for your bot. The game begins when all players have accepted. The call is idempotent."""
        return self.answered(request, challenge_id)

    def answered(self, request: Request, challenge_id: int) -> Response:
        """Answer the challenge for the bot of the request."""
        made = self.found(challenge_id)
        bot = player_of(token_of(request), request.query_params.get("bot", ""))
        with refusals():
            return Response(_documents([answer(made, bot, self.accepted)])[0])


class Decline(Acceptance):
    """At ``/api/v1/challenges/{challenge_id}/decline``."""

    accepted = False

    @operation("decline_challenge", "Decline a challenge", ChallengeDocument, query=(BOT_PARAMETER,))
    def post(self, request: Request, challenge_id: int) -> Response:
        """Declines a challenge for your bot. The game is not played. The call is idempotent."""
        return self.answered(request, challenge_id)


class Withdrawal(_Challenging):
    """At ``/api/v1/challenges/{challenge_id}/withdraw``."""

    @operation("withdraw_challenge", "Withdraw a challenge", ChallengeDocument)
    def post(self, request: Request, challenge_id: int) -> Response:
        """Withdraws an open challenge that you created. The call is idempotent."""
        with refusals():
            return Response(_documents([withdraw(self.found(challenge_id), person_of(request))])[0])


def _documents(challenges: Iterable[Proposal]) -> list[ChallengeDocument]:
    return msgspec.convert(challenge_documents(challenges), list[ChallengeDocument])


def _bot(token: Token, slug: str) -> Bot:
    try:
        return bot_seen_by(token.user, slug)
    except Http404:
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "unknown_bot", f"Bot '{slug}' not found.") from None
