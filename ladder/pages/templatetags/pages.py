"""Template tags of all pages: drawings, numbers, times and the navigation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.conf import settings
from django.template import Context, NodeList
from django.template.loader_tags import BlockNode
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_lazy, gettext_noop, pgettext_lazy

from bots.machines import sandbox_state
from esr_platform.accounts.roles import has_role
from esr_platform.static_files import imported
from games.registry import GAMES
from ladder.matches import machines, public_results
from ladder.models import Match, Seat, SeatResult
from ladder.pages import matches
from ladder.pages.components import markup, words

register = template.Library()

SECTIONS = (
    (pgettext_lazy("the page", "Play"), "lobby"),
    (gettext_lazy("Ladders"), "ladders"),
    (gettext_lazy("Cups"), "cups"),
    (gettext_lazy("Matches"), "matches"),
    (gettext_lazy("Bots"), "bots"),
    (gettext_lazy("Rules"), "rules"),
    (gettext_lazy("Docs"), "docs"),
    (gettext_lazy("About"), "about"),
)
OWN = (gettext_lazy("My bots"), "my_bots")
"""The additional link for signed-in users."""

STAFF = (gettext_lazy("Staff"), "staff")
"""The additional link for site staff."""

STEPS = {
    "done": gettext_noop("Done"),
    "now": gettext_noop("In progress"),
    "todo": gettext_noop("Not started"),
    "failed": gettext_noop("Failed"),
}
"""Labels of the marks of validation steps."""

register.filter("term", gettext)
register.filter("points", words.points)
register.filter("signed", words.signed)
register.filter("grouped", words.grouped)
register.filter("sentence", words.sentence)
register.filter("seats_word", words.seats)
register.filter("table_word", words.table)
register.filter("ladder_or_table", words.ladder_or_table)
register.filter("players_word", words.players_word)
register.filter("size", words.size)
register.filter("thinking", words.thinking)
register.filter("duration", words.span)
register.filter("visible", words.visible)
register.filter("seat_counts", words.seat_counts)
register.filter("drawn", markup.drawn)
register.filter("coded", markup.coded)
register.filter("by_rank", public_results.by_rank)
register.filter("seat_of", matches.seat_of)


@register.simple_tag(takes_context=True)
def sections(context: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """The navigation: title, URL, and whether the page belongs to it (the longest match counts)."""
    request, user = context.get("request"), context.get("user")
    here = _section_of(request.path) if request else ""
    own = (OWN,) if user is not None and user.is_authenticated else ()
    staff = (STAFF,) if user is not None and has_role(user) else ()
    listed = (*SECTIONS[:5], *own, *SECTIONS[5:], *staff)
    links = [(str(title), reverse(f"pages:{name}")) for title, name in listed]
    exact = max((address for _, address in links if here.startswith(address)), key=len, default="")
    return [(title, address, address == exact) for title, address in links]


def _section_of(path: str) -> str:
    """The path that decides the current section: comparisons and user pages belong to the bots."""
    return reverse("pages:bots") if path.startswith(("/compare/", "/people/")) else path


# --- Link previews ---------------------------------------------------------------------------------------------------

_UNLISTED = ("/account/", "/staff/", "/play/tables/", "/ladders/invitations/")


@register.simple_tag(takes_context=True)
def canonical(context: Mapping[str, Any]) -> str:
    """The absolute URL of the page for search engines and link previews; empty for pages that are for few or wrong.

    Only the number of a page of a list is kept of the parameters.
    """
    request = context.get("request")
    if request is None or request.resolver_match is None or request.path.startswith(_UNLISTED):
        return ""
    number = request.GET.get("page", "")
    return f"{settings.SITE_URL}{request.path}" + (f"?page={number}" if number.isdecimal() and number != "1" else "")


@register.simple_tag(takes_context=True)
def text_of(context: Context, block: str) -> SafeString:
    """The text of a block of the page once more, in one line, for an attribute."""
    return mark_safe(" ".join(BlockNode(block, NodeList()).render(context).split()))  # the block has escaped it  # noqa: S308


@register.simple_tag
def picture(kind: str, *of: object) -> str:
    """The path of the picture of a page (:mod:`ladder.pages.pictures`)."""
    return reverse(f"pages:{kind}_picture", args=of)


@register.simple_tag
def sandbox() -> str:
    """The sandbox state: ``holds``, ``unrated``, ``fails``, or ``unknown`` until a worker has reported."""
    return sandbox_state()


@register.simple_tag
def trouble() -> str:
    """Why no match can be played at the moment; empty if matches are being played."""
    return machines.trouble()


@register.simple_tag(takes_context=True)
def script(context: template.Context, name: str, *loaded: str) -> SafeString:
    """A module script, and preloads of all modules that it imports, so that a browser requests them at once.

    ``loaded`` are modules that the script loads later by their URLs; empty names are ignored.
    """
    named: set[str] = context.render_context.setdefault("modules", set())  # type: ignore[assignment, arg-type]
    modules = [module for module in imported(name, *filter(None, loaded)) if module not in named]
    named.update(modules)
    preloads = [module for module in modules if module != name]
    return format_html(
        '{}<script type="module" src="{}"></script>',
        format_html_join("", '<link rel="modulepreload" href="{}">', ((static(module),) for module in preloads)),
        static(name),
    )


@register.simple_tag
def symbol(name: str, kind: str, label: str = "", sheet: str = "sprite") -> SafeString:
    """A drawing from an SVG sheet (default: the sprite)."""
    return markup.drawing(name, kind, label, sheet)


@register.filter
def mark(index: int) -> SafeString:
    """The merchant's mark of seat ``index`` (from 0)."""
    return markup.drawing(f"mark-{index + 1}", "mark", gettext("seat %(number)s") % {"number": index})


@register.filter
def step_mark(mark: str) -> SafeString:
    """The mark of a validation step: ``done``, ``now``, ``todo`` or ``failed``."""
    return markup.drawing(f"step-{mark}", "step", gettext(STEPS[mark]))


@register.filter
def ago(moment: datetime) -> SafeString:
    """How long ago, in a ``time`` element with the exact time."""
    return _time(moment, words.ago(moment, timezone.now()))


@register.filter
def lasting(moment: datetime) -> SafeString:
    """The duration from ``moment`` until now."""
    return _time(moment, words.span((timezone.now() - moment).total_seconds()))


@register.filter
def on_day(moment: datetime) -> SafeString:
    """The date of ``moment``."""
    return _time(moment, words.day(moment))


@register.filter
def took(match: Match) -> str:
    """The duration of the attempt that counts."""
    return words.time_taken((match.ended - match.started).total_seconds()) if match.started and match.ended else ""


@register.filter
def game_name(slug: str) -> str:
    """The name of the game with this slug."""
    return GAMES[slug].name


@register.filter
def result(seat: Seat) -> SeatResult | None:
    """The result of a seat, or ``None``."""
    return public_results.result_of(seat)


@register.filter
def reached(match: Match, seat: Seat) -> SafeString:
    """The result of a seat in the first column of its game."""
    return markup.drawn(matches.reached(match, seat), GAMES[match.ladder.game])


@register.filter
def forfeit(reason: str) -> str:
    """The reason of a forfeit, as a sentence."""
    return gettext(words.FORFEITS[reason])


@register.filter
def status(match: Match) -> str:
    """The label of a match state."""
    return gettext(words.STATUSES[match.status])


@register.filter
def status_word(status: str) -> str:
    """The label of a match state, from its value."""
    return gettext(words.STATUSES[status])


@register.filter
def lookup(mapping: Mapping[Any, Any], key: Any) -> Any:
    """The value of ``key``, or ``None``."""
    return mapping.get(key)


@register.filter
def percent(share: float | None) -> str:
    """A share of 0 to 1 as a percentage with one decimal, without the sign; a dash for ``None``."""
    return "–" if share is None else f"{100 * share:.1f}"


@register.filter
def of_bar(share: float | None, widest: float) -> str:
    """The length of ``share`` in a bar of 64 units in which ``widest`` is the full length."""
    return f"{64 * (share or 0) / widest:.1f}"


@register.filter
def position(axis: Any, rating: int) -> float:
    """The position of a rating on an axis, in percent."""
    place: float = axis.position(rating)
    return place


def _time(moment: datetime, text: str) -> SafeString:
    exact, shown = moment.isoformat(timespec="seconds"), f"{moment:%d %B %Y, %H:%M:%S} UTC"
    return format_html('<time datetime="{}" title="{}">{}</time>', exact, shown, text)
