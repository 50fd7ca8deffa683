"""What a search finds, for whoever asks: nothing that its own page would not show to the same person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet

from bots.models import Bot
from ladder.access import matches_seen_by, public_bots, public_players
from ladder.models import Ladder, Match
from ladder.models.ladders import Viewer
from ladder.pages.matches import listed
from ladder.pages.searching.words import Words
from ladder.pages.tables import active_versions

AT_ONCE: Final = 8
"""Rows of each kind where all kinds are shown."""

ROWS: Final = 30
KINDS: Final = ("bots", "people", "ladders")


@dataclass(frozen=True)
class Finds:
    """What was found of every kind, a few rows each, and whether there are ``more``; ``versions`` by bot."""

    words: Words
    match: Match | None
    bots: Sequence[Bot]
    people: Sequence[Any]
    ladders: Sequence[Ladder]
    more: frozenset[str]
    versions: Mapping[int, int]

    def __bool__(self) -> bool:
        return bool(self.match or self.bots or self.people or self.ladders)


@dataclass(frozen=True)
class Part:
    """A page of what was found of one kind."""

    words: Words
    kind: str
    rows: Page[Any]
    versions: Mapping[int, int]


def finds(words: Words, user: Viewer, most: int = AT_ONCE) -> Finds:
    """The first of every kind that ``user`` may know of; six queries at most, none without words."""
    if not words:
        return Finds(words, None, (), (), (), frozenset(), {})
    rows = {kind: list(of_kind(kind, words, user)[: most + 1]) for kind in KINDS}
    bots = rows["bots"][:most]
    return Finds(
        words=words,
        match=_match(words, user),
        bots=bots,
        people=rows["people"][:most],
        ladders=rows["ladders"][:most],
        more=frozenset(kind for kind in KINDS if len(rows[kind]) > most),
        versions=active_versions([bot.pk for bot in bots]),
    )


def part(kind: str, words: Words, user: Viewer, page: str | None) -> Part:
    """Page ``page`` of what was found of one of :data:`KINDS`, the nearest there is; three queries."""
    shown = Paginator(of_kind(kind, words, user), ROWS).get_page(page)
    bots = [bot.pk for bot in shown] if kind == "bots" else []
    return Part(words, kind, shown, active_versions(bots) if bots else {})


def of_kind(kind: str, words: Words, user: Viewer) -> QuerySet[Any]:
    """All of one kind that is called so, the best first."""
    return {"bots": _bots, "people": _people, "ladders": _ladders}[kind](words, user)


def _bots(words: Words, user: Viewer) -> QuerySet[Bot]:
    """Those that everybody knows of, and one's own."""
    called = words.in_any("name", "slug")
    known = public_bots().filter(called)
    if user.pk is not None:
        known = known | Bot.objects.of_code().select_related("owner").filter(called, owner=user.pk)
    return words.best_first(known, "name")


def _people(words: Words, _user: Viewer) -> QuerySet[AbstractBaseUser]:
    """Those who have a bot that everybody knows of, or play themselves: of others nothing says that they are here."""
    theirs = public_players().filter(owner=OuterRef("pk"))
    known: QuerySet[Any] = get_user_model().objects.filter(Exists(theirs), is_active=True)
    return words.best_first(known.filter(words.in_any("username")), "username")


def _ladders(words: Words, user: Viewer) -> QuerySet[Ladder]:
    called = Ladder.objects.visible_to(user).filter(words.in_any("name", "slug", "game") | Q(slug=words.text))
    return words.best_first(called, "name")


def _match(words: Words, user: Viewer) -> Match | None:
    number = words.match_number
    return listed(matches_seen_by(user).filter(pk=number)).first() if number else None
