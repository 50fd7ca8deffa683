"""Template tags for standings: the leader, estimated skills on an axis, and heat map colors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from ladder.members.estimated_skill import Skill
from ladder.models import FinalStanding
from ladder.pages.compare import There
from ladder.pages.components import words
from ladder.pages.components.chart import Axis
from ladder.pages.ladder import NAMED, LadderPage
from ladder.pages.statistics import FEW
from ladder.statistics.pair_share import PairShare

register = template.Library()


@register.simple_tag
def leading(page: LadderPage) -> str:
    """The leader and the players statistically tied with it; empty if the first rows are not shown."""
    leaders, level = page.leaders, page.level
    if not leaders:
        return ""
    first = page.rows[0].standing.rating // 1000
    if len(leaders) > 1:
        return _("%(names)s lead with a rating of %(rating)s.") % {"names": named(leaders), "rating": first}
    if not level:
        return _("%(name)s leads.") % {"name": leaders[0]}
    others = named(level) if len(level) <= NAMED else _("the next %(count)s players") % {"count": len(level)}
    return _("%(name)s leads but is statistically tied with %(others)s.") % {"name": leaders[0], "others": others}


@register.simple_tag
def skill_strip(axis: Axis, skill: Skill | None, rating: int) -> SafeString:
    """The estimated skill with its interval on an axis; without one, the rating as an open point."""
    if skill is None:
        point = '<svg x="{}%" overflow="visible"><path class="point open" d="M0-5.5 4.5 0 0 5.5-4.5 0Z"/></svg>'
        marks = format_html(point, axis.position(rating))
    else:
        left, right = axis.position(skill.low), axis.position(skill.high)
        marks = format_html(
            '<rect class="reach" x="{0}%" y="-3.5" width="{2}%" height="7"/>'
            '<line class="ends" x1="{0}%" x2="{0}%" y1="-6" y2="6"/>'
            '<line class="ends" x1="{1}%" x2="{1}%" y1="-6" y2="6"/>'
            '<svg x="{3}%" overflow="visible"><path class="point" d="M0-6 5 0 0 6-5 0Z"/></svg>',
            left,
            right,
            round(right - left, 2),
            axis.position(skill.rating),
        )
    strip = (
        '<svg class="strip" aria-hidden="true"><use href="#axis-grid"/><svg y="50%" overflow="visible">{}</svg></svg>'
    )
    return format_html(strip, marks)


def named(names: list[str]) -> str:
    """Names in a sentence: ``a, b and c``."""
    if len(names) == 1:
        return names[0]
    return _("%(names)s and %(last)s") % {"names": ", ".join(names[:-1]), "last": names[-1]}


@register.filter
def names_of(winners: Sequence[FinalStanding]) -> SafeString:
    """The names of ``winners`` in a sentence, each in bold."""
    *others, last = [format_html("<b>{}</b>", winner.membership.bot.name) for winner in winners]
    if not others:
        return last
    joined = format_html_join(", ", "{}", ((name,) for name in others))
    return format_html(_("%(names)s and %(last)s").replace("%(names)s", "{0}").replace("%(last)s", "{1}"), joined, last)


_STEPS: Final = 10


@register.filter
def few(share: PairShare) -> bool:
    """Whether the share has too few blocks for a color."""
    return share.blocks < FEW


@register.filter
def heat(share: PairShare) -> str:
    """The CSS class of a cell: a deeper color further from 50%, hatched if there are few blocks."""
    if few(share):
        return "few"
    step = round(2 * _STEPS * (share.value - 0.5))
    return f"up-{step}" if step > 0 else f"down-{-step}" if step < 0 else "even"


@register.filter
def whole_percent(share: float) -> str:
    """A share as a whole percentage, without the sign."""
    return f"{100 * share:.0f}"


@register.filter
def hundredths(difference: float) -> str:
    """A difference of shares in percentage points, with its sign."""
    return words.signed(round(100_000 * difference))


@register.simple_tag
def verdict(there: There) -> str:
    """Which of two bots is stronger, or that they are statistically tied."""
    first, second = (side.bot.name for side in there.sides)
    difference = there.difference
    if difference is None:
        return _("They cannot be compared yet: at least one has no estimated skill.")
    better, worse = (first, second) if difference.value >= 0 else (second, first)
    values = {
        "better": better,
        "worse": worse,
        "points": abs(difference.value) // 1000,
        "margin": difference.margin // 1000,
    }
    if difference.sure:
        text = _("%(better)s has a higher estimated skill than %(worse)s: +%(points)s ± %(margin)s points (95%% CI).")
        return text % values
    text = _("%(better)s and %(worse)s are statistically tied: the difference is %(points)s ± %(margin)s points.")
    return text % values
