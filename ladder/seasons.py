"""Open and close seasons, and publish their keys when all of their deals have been played.

Closing takes two steps, so that the ledger contains all results of a season before its end. First, no new matches are
scheduled and matches that have not started are canceled. When the last rated match has ended, the final standings are
stored, and the next season opens with regressed ratings in the same transaction.
"""

from __future__ import annotations

import os
from datetime import datetime
from fractions import Fraction
from typing import Final

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from bots.tournaments.keys import KEY_BYTES, key_hash
from ladder.ledger.entries import append
from ladder.matches.blocks import end_if_over
from ladder.members.standings import among_each_other, standings_of
from ladder.models import Block, DealSeries, FinalStanding, Ladder, LedgerEntry, Match, Membership, Season
from ladder.ratings.regression import regressed

KEPT: Final = Fraction(1, 2)
"""The default share of the distance from the starting rating that ratings keep in the next season."""

_CANCELLED = "The season closed before this match started."


class WrongMoment(ValueError):
    """The season cannot be opened or closed now."""


class PastTime(WrongMoment):
    """The planned closing time is in the past."""


def open_first(ladder: Ladder) -> None:
    """Open the first season of a new ladder. Safe to call at any time, and concurrently."""
    with transaction.atomic():
        locked = _locked(ladder)
        if not locked.seasons.exists():
            _open(locked, Fraction(1))


def open_next(ladder: Ladder, kept: Fraction = KEPT, by: AbstractBaseUser | None = None) -> Season:
    """Open the next season. Ratings keep the share ``kept`` of their distance from the starting rating.

    Raises ``WrongMoment`` if another season is open.
    """
    with transaction.atomic():
        locked = _locked(ladder)
        if locked.seasons.filter(closed=None).exists():
            raise WrongMoment(f"{ladder} already has an open season. Close it first.")
        return _open(locked, kept, by)


def close(season: Season, then: Fraction | None = KEPT, by: AbstractBaseUser | None = None) -> Season:
    """Close an open season. ``then`` is the share that ratings keep in the next season; ``None`` opens no next season.

    If rated matches are running, ``finish_closing`` closes the season when they have ended. Raises ``WrongMoment`` if
    it is already closing or closed.
    """
    with transaction.atomic():
        _locked(season.ladder)
        if not _not_closing(season).update(closing=Now(), closed_by=by, **_kept(then)):
            raise WrongMoment(f"{season} is already closing or closed.")
    return _wind_up(season)


def plan(season: Season, at: datetime | None, then: Fraction | None = KEPT, by: AbstractBaseUser | None = None) -> None:
    """Plan to close an open season at the time ``at``; ``None`` cancels the plan.

    Raises ``PastTime`` for a time in the past, and ``WrongMoment`` if the season is already closing or closed.
    """
    if at is not None and at <= timezone.now():
        raise PastTime(_("The closing time is in the past. Choose a later time, or no time to close the season now."))
    if not _not_closing(season).update(closes_at=at, closed_by=by, **_kept(then)):
        raise WrongMoment(f"{season} is already closing or closed.")


def close_due() -> int:
    """Close every season whose planned closing time has come, and return their number. Safe to run concurrently."""
    due = Season.objects.filter(closed=None, closing=None, closes_at__lte=Now())
    return sum(_close_planned(season) for season in due.select_related("ladder").order_by("pk"))


def finish_closing() -> int:
    """Close every closing season whose last rated match has ended, and return their number."""
    return sum(_finish(season) for season in Season.objects.filter(closed=None, closing__isnull=False).order_by("pk"))


def publish_keys() -> int:
    """Publish the keys of closed seasons whose blocks have all ended, and return the number of series."""
    open_block = Block.objects.filter(series__season=OuterRef("season"), ended=None)
    due = DealSeries.objects.filter(published=None, season__closed__isnull=False).exclude(Exists(open_block))
    return DealSeries.objects.filter(pk__in=list(due.values_list("pk", flat=True)), published=None).update(
        published=Now()
    )


def _close_planned(season: Season) -> bool:
    """Close the season as planned, unless the plan has been canceled or postponed meanwhile."""
    with transaction.atomic():
        _locked(season.ladder)
        if not _not_closing(season).filter(closes_at__lte=Now()).update(closing=Now()):
            return False
    _wind_up(season)
    return True


def _wind_up(season: Season) -> Season:
    """Do the next steps of a closing season."""
    _cancel_unbegun(season)
    finish_closing()
    return Season.objects.get(pk=season.pk)


def _not_closing(season: Season) -> QuerySet[Season]:
    return Season.objects.filter(pk=season.pk, closed=None, closing=None)


def _kept(then: Fraction | None) -> dict[str, int | None]:
    num, den = (None, None) if then is None else then.as_integer_ratio()
    return {"next_num": num, "next_den": den}


def _locked(ladder: Ladder) -> Ladder:
    return Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)


def _open(ladder: Ladder, kept: Fraction, by: AbstractBaseUser | None = None) -> Season:
    season = Season.objects.create(ladder=ladder, number=ladder.seasons.count() + 1)
    series = [_series(season, kind) for kind in DealSeries.Kind]
    DealSeries.objects.bulk_create(series)
    document = {
        "season": season.number,
        "regress": [kept.numerator, kept.denominator],
        "keys": {deal_series.name: deal_series.key_hash for deal_series in series},
    }
    append(ladder, LedgerEntry.Kind.SEASON, document, author=by)
    if season.number > 1:
        _regress(ladder, kept)
    return season


def _series(season: Season, kind: DealSeries.Kind) -> DealSeries:
    slug, key = season.ladder.slug, os.urandom(KEY_BYTES)
    name = slug if kind == DealSeries.Kind.LADDER else f"{kind.value}-{slug}"
    return DealSeries(season=season, kind=kind, name=name, key=key, key_hash=key_hash(key))


def _regress(ladder: Ladder, kept: Fraction) -> None:
    memberships = list(Membership.objects.select_for_update(no_key=True).filter(ladder=ladder).order_by("pk"))
    for membership in memberships:
        membership.rating = regressed(membership.rating, kept.numerator, kept.denominator)
        membership.games = membership.win_shares = membership.last_change = 0
    Membership.objects.bulk_update(memberships, ["rating", "games", "win_shares", "last_change"], batch_size=500)


def _cancel_unbegun(season: Season) -> None:
    """Cancel rated matches without any attempt. Others are played, so that no player gains from the cancellation."""
    untried = _rated(season).filter(status=Match.Status.QUEUED, attempts_started=0)
    with transaction.atomic():
        ids = list(untried.select_for_update(of=("self",), no_key=True).order_by("pk").values_list("pk", flat=True))
        Match.objects.filter(pk__in=ids, status=Match.Status.QUEUED, attempts_started=0).update(
            status=Match.Status.CANCELLED, reason=_CANCELLED, ended=Now()
        )
        end_if_over(Match.objects.filter(pk__in=ids).values_list("block", flat=True))


def _rated(season: Season) -> QuerySet[Match]:
    """The rated matches of ``season``, and matches from before the first season, which count in the open season."""
    mine = Q(block__series__season=season) | Q(block__series=None)
    return Match.objects.filter(mine, ladder=season.ladder, block__purpose__in=Block.RATED)


def _finish(season: Season) -> bool:
    with transaction.atomic():
        ladder = _locked(season.ladder)
        current = Season.objects.get(pk=season.pk)
        if current.closed or _rated(season).filter(status__in=Match.PENDING).exists():
            return False
        FinalStanding.objects.bulk_create(
            FinalStanding(
                season=season,
                membership_id=row.membership,
                rank=row.rank,
                rating=row.rating,
                games=row.games,
                win_shares=row.win_shares,
            )
            for row in among_each_other([row for row in standings_of(ladder) if row.games])
        )
        Season.objects.filter(pk=season.pk).update(closed=Now())
        if current.next_den:
            _open(ladder, Fraction(current.next_num or 0, current.next_den))
    return True
