"""As which remote bot a token plays: the one it belongs to, the one that its owner names, or the only one there is."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from django.http import Http404

from bots.models import Bot
from bots.reports import storable
from esr_platform.accounts.models import Token
from esr_platform.api.problems import Refusal

_SLUGS_NAMED: Final = 20


BOT_NAMED: Final = (
    "The slug of one of your remote bots. Required if your token is not the token of one bot and you have several "
    "remote bots that are not retired: the request then gets status 400 (`bot_missing`) without it. Otherwise optional."
)
"""The description of ``?bot=``, for the schema."""


def player_of(token: Token, named: str) -> Bot:
    """The remote bot, with its owner and ``remote``; ``named`` is what ``?bot=`` says, or empty.

    Raises ``Http404`` for one that is not the token's to play, and ``Refusal`` (400) where it has to be named.
    """
    own = Bot.objects.filter(owner=token.user_id, kind=Bot.Kind.REMOTE).select_related("owner", "remote")
    if token.bot_id is not None:
        own = own.filter(pk=token.bot_id)
    if named:
        own = own.filter(slug=storable(named))
    elif token.bot_id is None:
        own = own.filter(retired=None)
    found = list(own.order_by("slug")[:_SLUGS_NAMED])
    if len(found) == 1:
        return found[0]
    if found:
        which = ", ".join(bot.slug for bot in found)
        raise Refusal(HTTPStatus.BAD_REQUEST, "bot_missing", f"Say as which of your bots: ?bot= one of {which}.")
    raise Http404(
        f"This token plays no remote bot called {named}."
        if named
        else "You have no remote bot yet. Register one: POST /api/v1/bots with kind=remote."
    )
