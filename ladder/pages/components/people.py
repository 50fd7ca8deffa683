"""Viewers and players of pages: URLs of players, guests, spectator counts, and search for bots by name."""

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
from bots.names import BotName
from bots.owners import is_guest
from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import SECRET, guest_hash
from ladder.access import public_players
from ladder.live.notify import redis_client
from ladder.matchmaking.guests import is_secret, new_secret
from ladder.models import Ladder, Membership
from ladder.pages.components.filters import Parameters, word
from ladder.pages.components.words import grouped

# --- URLs of players -------------------------------------------------------------------------------------------------


def player_address(bot: Bot | BotName) -> str:
    """The URL of a bot page or of a human player's profile; empty for guests and deleted users.

    It reads only the bot's own fields: the row of a human player has the username as its name.
    """
    if bot.kind != Bot.Kind.PERSON:
        return reverse("pages:bot", args=[bot.slug])
    if is_guest(bot) or bot.retired is not None:
        return ""
    return reverse("pages:person", args=[bot.name])


def player_name(bot: Bot | BotName) -> str:
    """The name of a bot or human player; the same text for all guests and for all deleted users."""
    if bot.kind != Bot.Kind.PERSON:
        return bot.name
    if is_guest(bot):
        return _("Guest")
    return bot.name if bot.retired is None else _("deleted user")


# --- Guests ----------------------------------------------------------------------------------------------------------

_NAME: Final = "guest_name"
"""The session key of the name of a guest."""


def person_of(request: HttpRequest) -> User | None:
    """The signed-in user, or ``None``."""
    return request.user if request.user.is_authenticated else None


def secret_of(request: HttpRequest) -> str | None:
    """The secret of the guest; ``None`` for signed-in users and visitors who have not played."""
    kept = None if request.user.is_authenticated else request.session.get(SECRET)
    return kept if isinstance(kept, str) else None


def hash_of(request: HttpRequest) -> str | None:
    """The SHA-256 of the guest's secret in hex, as it is stored."""
    secret = secret_of(request)
    return None if secret is None else guest_hash(secret)


def secret_for_form(request: HttpRequest) -> str:
    """A secret for the form in which a new guest takes a seat; empty for users and for guests who have one.

    The form brings it back, so that a form that is submitted twice takes one seat.
    """
    return "" if request.user.is_authenticated or secret_of(request) else new_secret()


def secret_from_form(request: HttpRequest) -> str:
    """The secret of the guest who has submitted a form: that of the session, else that of the form, else a new one."""
    posted = request.POST.get("secret", "")
    return secret_of(request) or (posted if is_secret(posted) else new_secret())


def keep_secret(request: HttpRequest, secret: str, name: str = "") -> None:
    """Store the secret in the session when the guest gets a seat: refused visitors need no session row.

    The session gets a new key, so that a key that was known before is useless. A ``name`` is kept for the next form.
    """
    if request.session.get(SECRET) != secret:
        request.session.cycle_key()
        request.session[SECRET] = secret
    if name and request.session.get(_NAME) != name:
        request.session[_NAME] = name


def name_of(request: HttpRequest) -> str:
    """The name that the guest has used last, or empty."""
    return str(request.session.get(_NAME, ""))


# --- Spectators ------------------------------------------------------------------------------------------------------

logger = logging.getLogger(__name__)

COUNTS_S: Final = 10
"""How long the count of a process is valid."""

_TIMEOUT_S: Final = 0.5


def watching(matches: Sequence[int]) -> dict[int, int]:
    """The spectator counts of these matches; empty if Redis is unavailable. One round trip."""
    if not matches:
        return {}
    try:
        (now, _), *by_match = _ask(matches)
    except (RedisError, OSError) as error:
        logger.warning("spectator counts unavailable: %s", error)
        return {}
    return {match: _sum(counts, int(now)) for match, counts in zip(matches, by_match, strict=True)}


def watching_said(matches: Sequence[int]) -> dict[int, str]:
    """The spectator counts as texts, ``14 watching``, of matches that have spectators."""
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


def _sum(counts: Iterable[bytes], now: int) -> int:
    """The sum of the recent ones of values ``count:time``."""
    rows = [value.decode().partition(":") for value in counts]
    return sum(int(count) for count, _, at in rows if now - int(at) < COUNTS_S)


# --- Bots by their names ---------------------------------------------------------------------------------------------

SUGGESTED: Final = 8
OFFERED: Final = 200
"""Number of names that the browser suggests, the best of a ladder first."""


@dataclass(frozen=True)
class Named:
    """One search field: the text, its bot, or else the problem and the bots that match."""

    name: str
    typed: str
    bot: Bot | None
    problem: str
    near: Sequence[Bot]

    @property
    def shown(self) -> str:
        """The text for the field: the name of its bot, although links contain its slug."""
        return self.bot.name if self.bot else self.typed


@dataclass(frozen=True)
class ChoosingPage:
    """The form of two search fields, for ``ladder`` if one is given; ``offered`` are suggested bots."""

    fields: tuple[Named, Named]
    ladder: Ladder | None
    offered: Sequence[Bot]

    @property
    def chosen(self) -> tuple[Bot, Bot] | None:
        """The two bots, if both are known and different."""
        first, second = (field.bot for field in self.fields)
        return (first, second) if first and second and first != second else None

    @property
    def choices(self) -> list[tuple[Named, list[tuple[Bot, str]]]]:
        """Each field with the bots that match, and the query string that chooses each of them."""
        typed = {field.name: field.typed for field in self.fields}
        place = {"ladder": self.ladder.slug} if self.ladder else {}
        return [
            (field, [(bot, urlencode({**typed, field.name: bot.slug, **place})) for bot in field.near])
            for field in self.fields
        ]

    @property
    def problem(self) -> str:
        """The problem of the combination of both bots."""
        first, second = (field.bot for field in self.fields)
        return _("Choose two different bots.") if first and first == second else ""


def choosing_page(parameters: Parameters, ladder: Ladder | None) -> ChoosingPage:
    """The form with the values of a query string; at most five queries."""
    first, second = (named(name, word(parameters(name))) for name in ("a", "b"))
    page = ChoosingPage((first, second), ladder, ())
    return page if page.chosen else ChoosingPage((first, second), ladder, _offered(ladder))


def named(name: str, typed: str) -> Named:
    """Find the bot that the text ``typed`` in the field ``name`` names; one query."""
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
        return Named(name, typed, None, _("Several bots match. Choose one."), near[:SUGGESTED])
    problem = _('No bot matches "%(name)s". Enter part of its name or its owner\'s username.') % {"name": typed}
    return Named(name, typed, None, problem, ())


def _offered(ladder: Ladder | None) -> list[Bot]:
    """The best bots of a ladder, or all bots by name; one query."""
    if ladder is None:
        return list(public_players().exclude(house_name=Bot.GUEST).order_by("name", "pk")[:OFFERED])
    memberships = Membership.objects.filter(ladder=ladder, active=True).select_related("bot__owner")
    return [membership.bot for membership in memberships.order_by("-rating", "pk")[:OFFERED]]
