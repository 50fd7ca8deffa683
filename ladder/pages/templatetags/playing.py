"""Template filters for the habits of a bot: values and intervals in their units."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext as _

from games.statistics import Habit
from ladder.pages.components import words
from ladder.statistics.habits import Practice

register = template.Library()


@register.filter
def per_cent(share: float) -> str:
    """A share of 0 to 1 as a percentage for coordinates of a drawing."""
    return f"{100 * share:.1f}"


@register.filter
def amount(value: float, habit: Habit) -> str:
    """The value of a habit: a share as ``42%``, a mean with one or two decimals."""
    if habit.share:
        return f"{100 * value:.0f}%"
    return f"{value:.{1 if abs(value) >= 10 else 2}f}"


@register.filter
def bounds(its: Practice, habit: Habit) -> str:
    """The interval of a habit, in the unit of its value."""
    if its.low is None or its.high is None:
        return ""
    scale, digits = (100, 0) if habit.share else (1, 1 if abs(its.value) >= 10 else 2)
    return f"{scale * its.low:.{digits}f}\u2013{scale * its.high:.{digits}f}"


@register.filter
def counted(its: Practice, habit: Habit) -> str:
    """The size of the sample: ``273 of 1,012 choices``, or ``in 112 barters won`` for a mean."""
    values = {"occasions": f"{words.grouped(its.occasions)} {_(habit.occasion)}"}
    if not habit.share:
        return _("in %(occasions)s") % values
    return _("%(number)s of %(occasions)s") % (values | {"number": words.grouped(its.amount)})
