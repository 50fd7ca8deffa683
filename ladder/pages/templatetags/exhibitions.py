"""Template filters for exhibition pages: future times, means with intervals, and names of exhibitions."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django import forms, template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop

from bots.intervals import Mean
from bots.tournaments.seatings import seatings
from ladder.models import Exhibition
from ladder.pages import exhibitions
from ladder.pages.components import words

register = template.Library()

KINDS: Final = {
    Exhibition.Kind.TEST: gettext_noop("Test match"),
    Exhibition.Kind.CHALLENGE: gettext_noop("Challenge"),
    Exhibition.Kind.COMPARISON: gettext_noop("Version comparison"),
    Exhibition.Kind.SCHEDULED: gettext_noop("Scheduled match"),
}
STATES: Final = {
    Exhibition.State.INVITED: gettext_noop("Waiting for answers"),
    Exhibition.State.PLANNED: gettext_noop("Scheduled"),
    Exhibition.State.RUNNING: gettext_noop("Running"),
    Exhibition.State.FINISHED: gettext_noop("Finished"),
    Exhibition.State.CANCELLED: gettext_noop("Canceled"),
}
VERDICTS: Final = {
    "better": gettext_noop("Better"),
    "not better": gettext_noop("Not better"),
    "open": gettext_noop("Undecided"),
}


@register.filter
def moment(time: datetime) -> SafeString:
    """Format a time as ``21 Nov 2026, 20:30 UTC``; a script adds the viewer's local time."""
    shown = f"{words.day(time)}, {time:%H:%M} UTC" if not time.second else f"{words.day(time)}, {time:%H:%M:%S} UTC"
    return format_html('<time data-local datetime="{}">{}</time>', time.isoformat(timespec="seconds"), shown)


@register.filter
def countdown(time: datetime) -> SafeString:
    """Format a time as ``in 12 min``, ``now`` or ``4 min ago``; a script counts down the seconds."""
    now = timezone.now()
    left = (time - now).total_seconds()
    if left > 0:
        text = gettext("in %(span)s") % {"span": words.span(left)}
    else:
        text = gettext("now") if left > -60 else words.ago(time, now)
    return format_html('<span data-countdown="{}">{}</span>', time.isoformat(timespec="milliseconds"), text)


@register.filter
def passed(time: datetime) -> str:
    """Describe a deadline: versions are frozen, or the time until they are."""
    if time <= timezone.now():
        return gettext("Versions are frozen")
    left = words.span((time - timezone.now()).total_seconds())
    return gettext("Versions freeze in %(span)s") % {"span": left}


@register.filter
def exhibition_title(exhibition: Exhibition) -> str:
    """Return the title of an exhibition."""
    return exhibitions.title(exhibition, [player.version for player in exhibition.players.all()])


@register.filter
def exhibition_kind(exhibition: Exhibition) -> str:
    """Return the label of the exhibition's kind."""
    return gettext(KINDS[Exhibition.Kind(exhibition.kind)])


@register.filter
def exhibition_state(exhibition: Exhibition) -> str:
    """Return the label of the exhibition's state, or of the verdict if a comparison is decided."""
    return gettext(VERDICTS.get(exhibition.verdict, "") or STATES[Exhibition.State(exhibition.state)])


@register.filter
def games_of_block(seats: int) -> str:
    """Return the number of games per block as a word: ``two``, ``six``."""
    return words.grouped(len(seatings(seats)))


@register.filter
def mean(found: Mean | None, factor: int) -> str:
    """A mean with its interval, times ``factor``: ``54.2 (51.1–57.3)``; ranks, with ``factor`` 1, have two digits."""
    if found is None:
        return "–"
    digits = 2 if factor == 1 else 1
    value = f"{factor * found.value:.{digits}f}"
    if found.low is None or found.high is None:
        return value
    return f"{value}\u00a0({factor * found.low:.{digits}f}\u2013{factor * found.high:.{digits}f})"


@register.filter
def score_difference(found: Mean) -> str:
    """The size of a difference of scores in points of 100."""
    return f"{100 * abs(found.value):.1f}"


@register.filter
def hundredth(score: float) -> str:
    """A difference of scores in points of 100 with its sign, a true minus."""
    return words.signed(round(score * 100_000), 1)


@register.filter
def log_ratio(ratio: float) -> str:
    """A log-likelihood ratio with two digits and a true minus."""
    return f"{ratio:.2f}".replace("-", "−")


@register.filter
def ticked(value: int, field: forms.BoundField) -> bool:
    """Whether ``value`` is among those chosen in ``field``."""
    return str(value) in {str(chosen) for chosen in field.value() or ()}
