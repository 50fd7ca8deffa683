"""What the templates of all pages use: drawings, numbers, times and addresses."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from bots.machines import sandbox_state
from games.registry import GAMES
from ladder.matches import play
from ladder.models import Match, Seat, SeatResult
from ladder.pages import matches
from ladder.pages.components import markup, words

register = template.Library()

SECTIONS = (
    (pgettext_lazy("the page", "Play"), "lobby"),
    (gettext_lazy("Ladders"), "ladders"),
    (gettext_lazy("Matches"), "matches"),
    (gettext_lazy("Bots"), "bots"),
    (gettext_lazy("Rules"), "rules"),
    (gettext_lazy("About"), "about"),
)
OWN = (gettext_lazy("My bots"), "my_bots")
"""The one more that somebody sees who has signed in."""

STEPS = {"done": "done", "now": "now", "todo": "to come", "failed": "failed"}
"""The marks of a check's steps, in words."""

register.filter("term", gettext)
register.filter("points", words.points)
register.filter("signed", words.signed)
register.filter("grouped", words.grouped)
register.filter("sentence", words.sentence)
register.filter("seats_word", words.seats)
register.filter("number_word", words.number)
register.filter("table_word", words.table)
register.filter("players_word", words.players_word)
register.filter("size", words.size)
register.filter("visible", words.visible)
register.filter("seat_counts", words.seat_counts)
register.filter("drawn", markup.drawn)
register.filter("coded", markup.coded)
register.filter("by_rank", matches.by_rank)
register.filter("seat_of", matches.seat_of)


@register.simple_tag(takes_context=True)
def sections(context: Mapping[str, Any]) -> list[tuple[str, str, bool, str]]:
    """The main parts of the site: title, address, whether the page belongs to it (the most exact one counts), name."""
    request, user = context.get("request"), context.get("user")
    here = _section_of(request.path) if request else ""
    own = (OWN,) if user is not None and user.is_authenticated else ()
    found = [(str(title), reverse(f"pages:{name}"), name) for title, name in (*SECTIONS[:4], *own, *SECTIONS[4:])]
    exact = max((address for _, address, _ in found if here.startswith(address)), key=len, default="")
    return [(title, address, address == exact, name) for title, address, name in found]


def _section_of(path: str) -> str:
    """Where a page stands that has no place of its own: comparisons of bots and their people stand with the bots."""
    return reverse("pages:bots") if path.startswith(("/compare/", "/people/")) else path


@register.simple_tag
def sandbox() -> str:
    """The state of the sandbox: ``holds``, ``unrated``, ``fails``, or ``unknown`` until a worker has reported."""
    return sandbox_state()


@register.simple_tag
def trouble() -> str:
    """Why no match is played at the moment; empty while they are."""
    return play.trouble()


@register.simple_tag
def drawings() -> list[str]:
    """The stylesheets of the games' drawings, each once."""
    return [
        f"esr/drawings/{name}.css"
        for name in dict.fromkeys(game.presentation.drawing for game in GAMES.values())
        if name
    ]


@register.simple_tag
def symbol(name: str, kind: str, label: str = "", sheet: str = "sprite") -> SafeString:
    """A drawing of a sheet, the sprite unless another one is named."""
    return markup.drawing(name, kind, label, sheet)


@register.filter
def mark(index: int) -> SafeString:
    """The merchant's mark of seat ``index`` (from 0)."""
    return markup.drawing(f"mark-{index + 1}", "mark", f"seat {index + 1}")


@register.filter
def step_mark(mark: str) -> SafeString:
    """The mark of a step of a check: ``done``, ``now``, ``todo`` or ``failed``."""
    return markup.drawing(f"step-{mark}", "step", STEPS[mark])


@register.filter
def ago(moment: datetime) -> SafeString:
    """How long ago, with the exact moment for machines and pointers."""
    return _time(moment, words.ago(moment, timezone.now()))


@register.filter
def lasting(moment: datetime) -> SafeString:
    """For how long until now."""
    return _time(moment, words.span((timezone.now() - moment).total_seconds()))


@register.filter
def on_day(moment: datetime) -> SafeString:
    """The day of a moment."""
    return _time(moment, words.day(moment))


@register.filter
def took(match: Match) -> str:
    """From the start of the attempt that counts to its end."""
    return words.time_taken((match.ended - match.started).total_seconds()) if match.started and match.ended else ""


@register.filter
def game_name(slug: str) -> str:
    """A game's name, from its slug."""
    return GAMES[slug].name


@register.filter
def result(seat: Seat) -> SeatResult | None:
    """What a seat reached, or ``None``."""
    return matches.result_of(seat)


@register.filter
def reached(match: Match, seat: Seat) -> SafeString:
    """What a seat reached, in its game's first column."""
    return markup.drawn(matches.reached(match, seat), GAMES[match.ladder.game])


@register.filter
def forfeit(reason: str) -> str:
    """Why a seat lost without playing to the end, as a sentence."""
    return gettext(words.FORFEITS[reason])


@register.filter
def status(match: Match) -> str:
    """How a match stands, in words."""
    return gettext(words.STATUSES[match.status])


@register.filter
def lookup(mapping: Mapping[Any, Any], key: Any) -> Any:
    """The value of ``key``, or ``None``."""
    return mapping.get(key)


@register.filter
def percent(share: float | None) -> str:
    """A share of 0 to 1 in per cent with one digit; a dash where there is none."""
    return "–" if share is None else f"{100 * share:.1f}"


@register.filter
def of_bar(share: float | None, widest: float) -> str:
    """``share`` as a length in a bar of 64 units that ``widest`` fills."""
    return f"{64 * (share or 0) / widest:.1f}"


@register.filter
def position(axis: Any, rating: int) -> float:
    """Where a rating lies on an axis, in per cent."""
    place: float = axis.position(rating)
    return place


def _time(moment: datetime, text: str) -> SafeString:
    exact, shown = moment.isoformat(timespec="seconds"), f"{moment:%d %B %Y, %H:%M:%S} UTC"
    return format_html('<time datetime="{}" title="{}">{}</time>', exact, shown, text)
