"""A few of what is found, while somebody types: a name, what it is, and its address."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _

from bots.models import Bot
from ladder.models import Match
from ladder.models.ladders import Viewer
from ladder.pages.searching.finds import Finds, finds
from ladder.pages.searching.words import Words
from ladder.pages.words import grouped

MOST: Final = 8
_EACH: Final = 5

Suggestion = dict[str, str]
"""``name``, ``what`` in words, and ``address``."""


def suggestions(words: Words, user: Viewer) -> list[Suggestion]:
    """At most eight, of the best of each kind; five queries at most."""
    return list(islice(_all(finds(words, user, _EACH)), MOST))


def _all(found: Finds) -> Iterator[Suggestion]:
    if found.match:
        yield _of_match(found.match)
    yield from (_of_bot(bot, found) for bot in found.bots)
    yield from (_of_person(person) for person in found.people)
    for ladder in found.ladders:
        yield _suggestion(ladder.name, _("ladder"), reverse("pages:ladder", args=[ladder.slug]))


def _of_match(match: Match) -> Suggestion:
    name = _("match %(number)s") % {"number": grouped(match.pk)}
    return _suggestion(name, match.ladder.name, reverse("pages:match", args=[match.pk]))


def _of_bot(bot: Bot, found: Finds) -> Suggestion:
    owner = getattr(bot.owner, "username", "")
    what = _("bot by %(owner)s") % {"owner": owner} if owner else _("house bot")
    version = found.versions.get(bot.pk)
    return _suggestion(bot.name, f"{what}, v{version}" if version else what, reverse("pages:bot", args=[bot.slug]))


def _of_person(person: Any) -> Suggestion:
    return _suggestion(person.username, _("player"), reverse("pages:person", args=[person.username]))


def _suggestion(name: str, what: str, address: str) -> Suggestion:
    return {"name": name, "what": what, "address": address}
