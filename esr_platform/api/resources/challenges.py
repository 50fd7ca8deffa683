"""Challenges: casual live games that one user proposes to others."""

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
from esr_platform.api.http import Refusal
from esr_platform.api.resources.views import Writing, person_of, refusals, token_of
from ladder.access import bot_seen_by, challenges_seen_by, ladder_seen_by
from ladder.matchmaking.lobby import challenge_documents
from ladder.matchmaking.proposals import answer, challenge, withdraw
from ladder.models import Proposal

LISTED: Final = 100
_LADDER: Final = "edel-stein-reich-duel-open"


class ChallengeForm(Form):
    """A new challenge. One of the bots is yours, and at least one is a remote bot."""

    ladder: Annotated[Slug, about("Slug of a ladder of live games. Its limits apply.", _LADDER)]
    bots: Annotated[list[Slug], about("Slugs of the bots, by seat.", ["garnet", "opal"], min_length=2, max_length=5)]


class ChallengedDocument(Document):
    """A player of a challenge."""

    bot: Annotated[str, about("Slug of the bot.", "garnet")]
    name: Annotated[str, about("Name of the bot.", "Garnet")]
    owner: Annotated[str | None, about("User name of its owner.", "miriam")]
    accepted: Annotated[bool | None, about("Whether the player has accepted; null before an answer.", None)]


class ChallengeDocument(Document):
    """A proposed game. It begins when every player has accepted: then `match` is its id."""

    id: Annotated[int, about("Id of the challenge.", 12)]
    ladder: Annotated[str, about("Slug of the ladder.", _LADDER)]
    game: Annotated[str, about("Slug of the game.", "edel-stein-reich-duel")]
    seats: Annotated[int, about("Number of seats.", 2)]
    by: Annotated[str, about("User name of the user who proposes the game.", "miriam")]
    state: Annotated[str, choice(Proposal.State.values, "State of the challenge.")]
    players: Annotated[list[ChallengedDocument], about("The players by seat.")]
    rated: Annotated[bool, about("Whether it is rated. Only human players propose rated games.", False)]
    limits: Annotated[dict[str, int], about("The limits of a player, in ms and MiB.", {"move_ms": 5000})]
    expires: Annotated[Moment, about("When the challenge expires.")]
    match: Annotated[int | None, about("Id of the match.", None)]


class OpenChallenges(Document):
    """Open challenges, the newest first."""

    results: Annotated[list[ChallengeDocument], about("The challenges.")]


class _Challenging(Writing):
    """A view of challenges. The token of one bot sees only challenges with this bot."""

    scope = Scope.PLAY

    @property
    def throttle_scope(self) -> str:
        return "play"

    @property
    def seen(self) -> QuerySet[Proposal]:
        """The visible challenges."""
        token = token_of(self.request)
        mine = challenges_seen_by(token.user)
        return mine if token.bot_id is None else mine.filter(players__bot=token.bot_id)

    def found(self, challenge_id: int) -> Proposal:
        """The challenge with this id. Raises ``Http404``."""
        made = self.seen.filter(pk=challenge_id).first()
        if made is None:
            raise Http404(f"No challenge {challenge_id} was made by you, or to a bot of yours.")
        return made


class Challenges(_Challenging):
    """At ``/api/v1/challenges``."""

    @operation("challenges", "List your open challenges", OpenChallenges)
    def get(self, _request: Request) -> Response:
        """Your own challenges and those to your bots, the newest first."""
        still_open = self.seen.filter(state=Proposal.State.OPEN).order_by("-pk")
        return Response(OpenChallenges(results=_documents(still_open[:LISTED])))

    @operation("challenge", "Create a challenge", ChallengeDocument, body=ChallengeForm, statuses=(201,))
    def post(self, request: Request) -> Response:
        """Propose a casual game. Remote bots of other users have to be online and to accept.

        The same challenge again returns the open one.
        """
        form = read_body(request.data, ChallengeForm)
        person, token = person_of(request), token_of(request)
        ladder = ladder_seen_by(person, form.ladder)
        bots = [_bot(token, slug) for slug in form.bots]
        if token.bot_id is not None and token.bot_id not in {bot.pk for bot in bots}:
            raise PermissionDenied("A token of a bot makes challenges in which this bot plays.")
        if any(bot.kind == Bot.Kind.PERSON and bot.owner_id == person.pk for bot in bots):
            raise PermissionDenied("A program seats nobody themselves. Challenge them on the site, signed in.")
        with refusals():
            made = challenge(person, ladder, bots)
        address = {"Location": reverse("api:challenge", args=(made.pk,))}
        return Response(_documents([made])[0], HTTPStatus.CREATED, headers=address)


class OneChallenge(_Challenging):
    """At ``/api/v1/challenges/{challenge_id}``."""

    @operation("challenge_state", "Get a challenge", ChallengeDocument)
    def get(self, _request: Request, challenge_id: int) -> Response:
        return Response(_documents([self.found(challenge_id)])[0])


class Acceptance(_Challenging):
    """At ``/api/v1/challenges/{challenge_id}/accept``."""

    accepted = True

    @operation("accept_challenge", "Accept a challenge", ChallengeDocument, query=(BOT_PARAMETER,))
    def post(self, request: Request, challenge_id: int) -> Response:
        """For your bot. When the last player has accepted, the game begins. Repeating it is harmless."""
        return self.answered(request, challenge_id)

    def answered(self, request: Request, challenge_id: int) -> Response:
        """Answer for the bot of the request."""
        made = self.found(challenge_id)
        bot = player_of(token_of(request), request.query_params.get("bot", ""))
        with refusals():
            return Response(_documents([answer(made, bot, self.accepted)])[0])


class Refusing(Acceptance):
    """At ``/api/v1/challenges/{challenge_id}/decline``."""

    accepted = False

    @operation("decline_challenge", "Decline a challenge", ChallengeDocument, query=(BOT_PARAMETER,))
    def post(self, request: Request, challenge_id: int) -> Response:
        """For your bot. The game will not be played. Repeating it is harmless."""
        return self.answered(request, challenge_id)


class Withdrawal(_Challenging):
    """At ``/api/v1/challenges/{challenge_id}/withdraw``."""

    @operation("withdraw_challenge", "Withdraw a challenge", ChallengeDocument)
    def post(self, request: Request, challenge_id: int) -> Response:
        """Withdraw your own challenge while it is open. Repeating it is harmless."""
        with refusals():
            return Response(_documents([withdraw(self.found(challenge_id), person_of(request))])[0])


def _documents(challenges: Iterable[Proposal]) -> list[ChallengeDocument]:
    return msgspec.convert(challenge_documents(challenges), list[ChallengeDocument])


def _bot(token: Token, slug: str) -> Bot:
    try:
        return bot_seen_by(token.user, slug)
    except Http404:
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "refused", f"No bot is called {slug}.") from None
