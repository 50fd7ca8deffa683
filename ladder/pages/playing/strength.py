"""How strong the versions of a bot are, on one axis, and in words which of them can be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from games.words import listing
from ladder.models import Estimate
from ladder.pages.axis import Axis, axis


@dataclass(frozen=True)
class VersionRow:
    """A version with its estimate; ``level`` is the next newer one, where the two cannot be told apart."""

    estimate: Estimate
    level: int | None


@dataclass(frozen=True)
class Strength:
    """Estimates of one season, the newest version first; never empty."""

    estimates: Sequence[Estimate]

    @property
    def newest(self) -> Estimate:
        return self.estimates[0]

    @cached_property
    def axis(self) -> Axis:
        """The one axis that holds all intervals."""
        return axis([end for one in self.estimates for end in (one.low, one.high)])

    @property
    def rows(self) -> list[VersionRow]:
        newer: Sequence[Estimate | None] = [None, *self.estimates]
        return [
            VersionRow(one, None if above is None or one.told_apart_from(above) else above.version.number)
            for above, one in zip(newer, self.estimates, strict=False)
        ]

    @property
    def said(self) -> str:
        """How the newest one stands to every older one, in a sentence; empty where there is no older one."""
        newest, older = self.newest, self.estimates[1:]
        apart = [one for one in older if newest.told_apart_from(one)]
        parts = [
            (_("stronger than %(versions)s"), [one for one in apart if one.rating < newest.rating]),
            (_("weaker than %(versions)s"), [one for one in apart if one.rating > newest.rating]),
            (_("not told apart from %(versions)s"), [one for one in older if one not in apart]),
        ]
        said = [text % {"versions": _names(versions)} for text, versions in parts if versions]
        if not said:
            return ""
        return _("%(version)s is %(what)s.") % {"version": _name(newest), "what": "; ".join(said)}


def strength(estimates: Sequence[Estimate]) -> Strength | None:
    """Of the ``estimates`` of one ladder's season, their versions read; ``None`` of none."""
    return Strength(sorted(estimates, key=lambda one: -one.version.number)) if estimates else None


def newest_by_ladder(estimates: Sequence[Estimate]) -> dict[int, Estimate]:
    """By ladder, the estimate of the newest version that has one there."""
    return {one.season.ladder_id: one for one in sorted(estimates, key=lambda one: one.version.number)}


def _name(one: Estimate) -> str:
    return f"v{one.version.number}"


def _names(versions: Sequence[Estimate]) -> str:
    return listing([_name(one) for one in versions])
