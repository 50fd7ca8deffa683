"""The search page and its suggestions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from operator import or_
from typing import Any, Final
from urllib.parse import quote

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.paginator import Page, Paginator
from django.db.models import Case, Exists, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from bots.models import Bot
from bots.programs import active_versions
from ladder.access import cups_seen_by, matches_seen_by, public_bots, public_players
from ladder.models import Cup, Ladder, Match
from ladder.models.ladders import Viewer
from ladder.pages.components.documentation import Hit, documentation
from ladder.pages.components.responses import too_many
from ladder.pages.components.words import grouped
from ladder.pages.matches import listed

# --- Queries ---------------------------------------------------------------------------------------------------------

LONGEST: Final = 60
_NUMBER: Final = re.compile(r"(?:match)?[#\s]*([0-9]{1,12})", re.IGNORECASE)


@dataclass(frozen=True)
class Words:
    """A search text: printable characters, single spaces, up to 60 characters."""

    text: str

    @classmethod
    def of(cls, typed: str | None) -> Words:
        """The search text of a query parameter."""
        visible = "".join(char if char.isprintable() else " " for char in (typed or "")[: 4 * LONGEST])
        return cls(" ".join(visible.split())[:LONGEST].strip())

    def __bool__(self) -> bool:
        return bool(self.text)

    @property
    def encoded(self) -> str:
        """The text for use in a URL."""
        return quote(self.text, safe="")

    @property
    def match_number(self) -> int | None:
        """The match number in ``4711``, ``#4711`` or ``match 4711``; ``None`` for any other text."""
        matched = _NUMBER.fullmatch(self.text)
        return int(matched[1]) if matched else None

    def in_any(self, *fields: str) -> Q:
        """Rows with the text in one of ``fields``, in any case.

        SQLite ignores case only for ASCII, so other letters are searched in several cases.
        """
        texts = {self.text}
        if not self.text.isascii():
            texts |= {self.text.lower(), self.text.upper(), self.text.title()}
        return reduce(or_, (Q(**{f"{field}__icontains": text}) for field in fields for text in sorted(texts)))

    def best_first(self, rows: QuerySet[Any], field: str) -> QuerySet[Any]:
        """``rows`` with exact matches first, then those that start with the text, then the rest, by name."""
        place = Case(
            When(**{f"{field}__iexact": self.text}, then=Value(0)),
            When(**{f"{field}__istartswith": self.text}, then=Value(1)),
            default=Value(2),
            output_field=IntegerField(),
        )
        ordered: QuerySet[Any] = rows.annotate(place=place).order_by("place", field, "pk")
        return ordered


# --- Results ---------------------------------------------------------------------------------------------------------

RESULTS_PER_KIND: Final = 8
"""Rows per kind on the page with all kinds."""

RESULTS_PER_PAGE: Final = 30
MOST_DOCS: Final = 3
"""Results in the documentation on the page with all kinds."""

KINDS: Final = ("bots", "people", "ladders", "cups")


@dataclass(frozen=True)
class Finds:
    """The first results of every kind. ``more`` are the kinds with further results; ``versions`` is by bot."""

    words: Words
    match: Match | None
    bots: Sequence[Bot]
    people: Sequence[Any]
    ladders: Sequence[Ladder]
    cups: Sequence[Cup]
    more: frozenset[str]
    versions: Mapping[int, int]

    def __bool__(self) -> bool:
        return bool(self.match or self.bots or self.people or self.ladders or self.cups)


@dataclass(frozen=True)
class ResultPage:
    """A page of results of one kind."""

    words: Words
    kind: str
    rows: Page[Any]
    versions: Mapping[int, int]


def finds(words: Words, user: Viewer, most: int = RESULTS_PER_KIND) -> Finds:
    """The first results of every kind for ``user``, in at most seven queries; none for an empty text."""
    if not words:
        return Finds(words, None, (), (), (), (), frozenset(), {})
    rows = {kind: list(of_kind(kind, words, user)[: most + 1]) for kind in KINDS}
    bots = rows["bots"][:most]
    return Finds(
        words=words,
        match=_match(words, user),
        bots=bots,
        people=rows["people"][:most],
        ladders=rows["ladders"][:most],
        cups=rows["cups"][:most],
        more=frozenset(kind for kind in KINDS if len(rows[kind]) > most),
        versions=active_versions([bot.pk for bot in bots]),
    )


def _in_docs(words: Words) -> Sequence[Hit]:
    docs = documentation()
    return docs.search(words.text, MOST_DOCS) if docs else ()


def part(kind: str, words: Words, user: Viewer, page: str | None) -> ResultPage:
    """Page ``page`` (or the nearest) of the results of one of :data:`KINDS`, in three queries."""
    shown = Paginator(of_kind(kind, words, user), RESULTS_PER_PAGE).get_page(page)
    bots = [bot.pk for bot in shown] if kind == "bots" else []
    return ResultPage(words, kind, shown, active_versions(bots) if bots else {})


def of_kind(kind: str, words: Words, user: Viewer) -> QuerySet[Any]:
    """All results of one kind, best first."""
    return {"bots": _bots, "people": _people, "ladders": _ladders, "cups": _cups}[kind](words, user)


def _bots(words: Words, user: Viewer) -> QuerySet[Bot]:
    """Public bots and the user's own bots."""
    called = words.in_any("name", "slug")
    known = public_bots().filter(called)
    if user.pk is not None:
        known = known | Bot.objects.of_code().select_related("owner").filter(called, owner=user.pk)
    return words.best_first(known, "name")


def _people(words: Words, _user: Viewer) -> QuerySet[AbstractBaseUser]:
    """Users with a public bot or public games. Other accounts are not disclosed."""
    players = public_players().filter(owner=OuterRef("pk"))
    known: QuerySet[Any] = get_user_model().objects.filter(Exists(players), is_active=True)
    return words.best_first(known.filter(words.in_any("username")), "username")


def _ladders(words: Words, user: Viewer) -> QuerySet[Ladder]:
    called = Ladder.objects.visible_to(user).filter(words.in_any("name", "slug", "game") | Q(slug=words.text))
    return words.best_first(called, "name")


def _cups(words: Words, user: Viewer) -> QuerySet[Cup]:
    return words.best_first(cups_seen_by(user).filter(words.in_any("title", "slug"), listed=True), "title")


def _match(words: Words, user: Viewer) -> Match | None:
    number = words.match_number
    return listed(matches_seen_by(user).filter(pk=number)).first() if number else None


# --- Suggestions -----------------------------------------------------------------------------------------------------

MOST: Final = 8
_EACH: Final = 5

Suggestion = dict[str, str]
"""``name``, ``what`` (the kind) and ``address``."""


def suggestions(words: Words, user: Viewer) -> list[Suggestion]:
    """Up to eight of the best results of all kinds, in at most six queries."""
    return list(islice(_all(finds(words, user, _EACH)), MOST))


def _all(results: Finds) -> Iterator[Suggestion]:
    if results.match:
        yield _of_match(results.match)
    yield from (_of_bot(bot, results) for bot in results.bots)
    yield from (_of_person(person) for person in results.people)
    for ladder in results.ladders:
        yield _suggestion(ladder.name, _("Ladder"), reverse("pages:ladder", args=[ladder.slug]))
    for cup in results.cups:
        yield _suggestion(cup.title, _("Cup"), reverse("pages:cup", args=[cup.slug]))


def _of_match(match: Match) -> Suggestion:
    name = _("Match %(number)s") % {"number": grouped(match.pk)}
    return _suggestion(name, match.ladder.name, reverse("pages:match", args=[match.pk]))


def _of_bot(bot: Bot, results: Finds) -> Suggestion:
    owner = getattr(bot.owner, "username", "")
    what = _("Bot by %(owner)s") % {"owner": owner} if owner else _("House bot")
    version = results.versions.get(bot.pk)
    return _suggestion(bot.name, f"{what}, v{version}" if version else what, reverse("pages:bot", args=[bot.slug]))


def _of_person(person: Any) -> Suggestion:
    return _suggestion(person.username, _("Player"), reverse("pages:person", args=[person.username]))


def _suggestion(name: str, what: str, address: str) -> Suggestion:
    return {"name": name, "what": what, "address": address}


# --- Views -----------------------------------------------------------------------------------------------------------

KEPT_SECONDS = 20


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    words, kind = Words.of(request.GET.get("q")), request.GET.get("kind", "")
    limited = too_many(request, "search") if words else None
    if limited is not None:
        return limited
    if words and kind in KINDS:
        context = {"words": words, "part": part(kind, words, request.user, request.GET.get("page"))}
    else:
        context = {"words": words, "found": finds(words, request.user), "hits": _in_docs(words)}
    response = render(request, "pages/search.html", context)
    response["X-Robots-Tag"] = "noindex"
    return response


@require_safe
def suggest(request: HttpRequest) -> HttpResponse:
    limited = too_many(request, "suggest")
    if limited is not None:
        return limited
    response = JsonResponse({"suggestions": suggestions(Words.of(request.GET.get("q")), request.user)})
    patch_cache_control(response, private=True, max_age=KEPT_SECONDS)
    return response
