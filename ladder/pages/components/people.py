"""Who looks at a page and who is named on it: URLs of players, guests, and numbers of spectators."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from redis import RedisError

from bots.models import Bot
from bots.owners import is_guest
from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import SECRET, guest_hash
from ladder.access import public_players
from ladder.live.notify import redis_client
from ladder.models import Ladder, Membership
from ladder.pages.components.filters import Parameters, word
from ladder.pages.components.words import grouped

# --- URLs of players -------------------------------------------------------------------------------------------------


def player_address(bot: Bot) -> str:
    """The page of a bot, or of the person whose row it is; empty for guests, and where the account is gone.

    Only the bot's own fields are read: a person's row is called like its person.
    """
    if bot.kind != Bot.Kind.PERSON:
        return reverse("pages:bot", args=[bot.slug])
    if is_guest(bot) or bot.retired is not None:
        return ""
    return reverse("pages:person", args=[bot.name])


# --- Guests ----------------------------------------------------------------------------------------------------------


def person_of(request: HttpRequest) -> User | None:
    """Who has signed in; ``None`` for anybody else."""
    return request.user if request.user.is_authenticated else None


def secret_of(request: HttpRequest) -> str | None:
    """The secret of the guest; ``None`` for who has signed in or never sat down."""
    kept = None if request.user.is_authenticated else request.session.get(SECRET)
    return kept if isinstance(kept, str) else None


def hash_of(request: HttpRequest) -> str | None:
    """What is kept of the guest's secret: its SHA-256, hex."""
    secret = secret_of(request)
    return None if secret is None else guest_hash(secret)


def keep_secret(request: HttpRequest, secret: str) -> None:
    """Know this guest again, once they sit: a session is a row, and who was refused gets none."""
    if request.session.get(SECRET) != secret:
        request.session[SECRET] = secret


# --- Spectators ------------------------------------------------------------------------------------------------------

logger = logging.getLogger(__name__)

COUNTS_S: Final = 10
"""What a process has said counts for so long."""

_TIMEOUT_S: Final = 0.5


def watching(matches: Sequence[int]) -> dict[int, int]:
    """How many watch each of these games; nothing of any where Redis does not answer. One question for all."""
    if not matches:
        return {}
    try:
        (now, _), *found = _ask(matches)
    except (RedisError, OSError) as error:
        logger.warning("spectator counts unavailable: %s", error)
        return {}
    return {match: _sum(said, int(now)) for match, said in zip(matches, found, strict=True)}


def watching_said(matches: Sequence[int]) -> dict[int, str]:
    """The same in words: ``14 watching``; nothing of games that nobody watches."""
    counts = watching(matches)
    return {match: said(count) for match, count in counts.items() if count}


def said(count: int) -> str:
    """``14 watching``."""
    return ngettext("%(number)s watching", "%(number)s watching", count) % {"number": grouped(count)}


def _ask(matches: Sequence[int]) -> list[Any]:
    with redis_client(settings.REDIS_URL, _TIMEOUT_S).pipeline(transaction=False) as asking:
        asking.time()
        for match in matches:
            asking.hvals(f"viewers:{match}")
        return list(asking.execute())


def _sum(said: Iterable[bytes], now: int) -> int:
    """Of values ``count:time``, those that count still."""
    rows = [value.decode().partition(":") for value in said]
    return sum(int(count) for count, _, at in rows if now - int(at) < COUNTS_S)


# --- Bots by their names ---------------------------------------------------------------------------------------------

SUGGESTED: Final = 8
OFFERED: Final = 200
"""Names that the browser may offer while one types, the best of a ladder."""


@dataclass(frozen=True)
class Named:
    """One field: what was typed, which bot that is, and else what is wrong, and bots that may be meant."""

    name: str
    typed: str
    bot: Bot | None
    problem: str
    near: Sequence[Bot]


@dataclass(frozen=True)
class ChoosingPage:
    """The form; ``ladder`` is where it came from, if anywhere, and ``offered`` are names of bots there."""

    fields: tuple[Named, Named]
    ladder: Ladder | None
    offered: Sequence[Bot]

    @property
    def chosen(self) -> tuple[Bot, Bot] | None:
        """The two bots, once both are known."""
        first, second = (field.bot for field in self.fields)
        return (first, second) if first and second and first != second else None

    @property
    def choices(self) -> list[tuple[Named, list[tuple[Bot, str]]]]:
        """Each field with the bots that may be meant, and the query string that chooses each of them."""
        typed = {field.name: field.typed for field in self.fields}
        place = {"ladder": self.ladder.slug} if self.ladder else {}
        return [
            (field, [(bot, urlencode({**typed, field.name: bot.slug, **place})) for bot in field.near])
            for field in self.fields
        ]

    @property
    def problem(self) -> str:
        """What is wrong with the two together."""
        first, second = (field.bot for field in self.fields)
        return _("Choose two different bots.") if first and first == second else ""


def choosing_page(parameters: Parameters, ladder: Ladder | None) -> ChoosingPage:
    """The form with what an address says of it; five queries at most."""
    first, second = (named(name, word(parameters(name))) for name in ("a", "b"))
    found = ChoosingPage((first, second), ladder, ())
    return found if found.chosen else ChoosingPage((first, second), ladder, _offered(ladder))


def named(name: str, typed: str) -> Named:
    """Which bot is meant by what was typed into the field ``name``; one query."""
    if not typed:
        return Named(name, typed, None, "", ())
    near = list(
        public_players()
        .filter(Q(slug=typed.lower()) | Q(name__icontains=typed) | Q(owner__username__iexact=typed))
        .order_by("name", "pk")[: 5 * SUGGESTED]
    )
    exact = [bot for bot in near if bot.slug == typed.lower()] or [bot for bot in near if bot.name == typed]
    if len(exact) == 1 or (len(near) == 1 and not exact):
        return Named(name, typed, (exact or near)[0], "", ())
    if near:
        return Named(name, typed, None, _("Several bots may be meant. Choose one."), near[:SUGGESTED])
    problem = _("No bot is called “%(name)s”. Type a part of its name, or its owner’s.") % {"name": typed}
    return Named(name, typed, None, problem, ())


def _offered(ladder: Ladder | None) -> list[Bot]:
    """The best of a ladder, or bots of any, by name; one query."""
    if ladder is None:
        return list(public_players().exclude(house_name=Bot.GUEST).order_by("name", "pk")[:OFFERED])
    memberships = Membership.objects.filter(ladder=ladder, active=True).select_related("bot__owner")
    return [membership.bot for membership in memberships.order_by("-rating", "pk")[:OFFERED]]
