"""Which two bots somebody means who has typed two names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Q
from django.utils.translation import gettext as _

from bots.models import Bot
from ladder.access import public_players
from ladder.models import Entry, Ladder
from ladder.pages.tabling.asking import Parameters, word

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
    entries = Entry.objects.filter(ladder=ladder, active=True).select_related("bot__owner")
    return [entry.bot for entry in entries.order_by("-rating", "pk")[:OFFERED]]
