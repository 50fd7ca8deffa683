"""Rows that a person has news of, written without playing anything, and time that passes for all of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from allauth.account.models import EmailAddress
from django.db.models import F
from django.utils import timezone

from bots.models import Bot, BotVersion
from esr_platform.accounts.models import User
from ladder.models import Agreement, Exhibition, ExhibitionPlayer, FinalStanding, Ladder, Membership, Season

A_WHILE = timedelta(minutes=5)
TIMES: dict[Any, tuple[str, ...]] = {
    User: ("date_joined", "next_digest", "told_until"),
    BotVersion: ("validated",),
    Bot: ("paused",),
    Exhibition: ("created", "due_at", "ended"),
    Season: ("opened", "closed"),
}


def person(name: str, *, verified: bool = True) -> User:
    user = User.objects.create_user(name, f"{name}@example.org")
    EmailAddress.objects.create(user=user, email=user.email, verified=verified, primary=True)
    User.objects.filter(pk=user.pk).update(date_joined=timezone.now() - timedelta(days=60))
    user.refresh_from_db()
    return user


def a_day_later() -> None:
    """Everything happened a day earlier than it did."""
    for model, fields in TIMES.items():
        model.objects.update(**{field: F(field) - timedelta(days=1) for field in fields})


def back(ago: timedelta) -> datetime:
    return timezone.now() - ago


def bot_of(owner: User | None, name: str) -> Bot:
    house = {} if owner is not None else {"house_name": name}
    return Bot.objects.get_or_create(owner=owner, slug=name, name=name, **house)[0]


def version_of(bot: Bot, **its: Any) -> BotVersion:
    number = bot.versions.count() + 1
    return BotVersion.objects.create(bot=bot, number=number, digest=f"{number:064}", **{"state": "ready", **its})


def rejected(owner: User, name: str = "citrine", ago: timedelta = A_WHILE) -> BotVersion:
    return version_of(bot_of(owner, name), state="refused", reason="It did not start.", validated=back(ago))


def paused(owner: User, name: str = "opal", ago: timedelta = A_WHILE) -> Bot:
    return Bot.objects.create(owner=owner, slug=name, name=name, paused=back(ago), pause_reason="It failed.")


def ladder_called(slug: str = "duel", **its: Any) -> Ladder:
    known = Ladder.objects.filter(slug=slug).first()
    return known or Ladder.objects.create(slug=slug, name=f"The {slug}", game="edel-stein-reich", seats=2, **its)


def exhibition_of(by: User, ladder: Ladder, ago: timedelta = A_WHILE, **its: Any) -> Exhibition:
    """An exhibition of a match between the bot ``mine-<name>`` of ``by`` and the house bot ``greedy``."""
    row = {"kind": "test", "state": "running", "blocks_wanted": 1, "games_wanted": 2, **its}
    exhibition = Exhibition.objects.create(ladder=ladder, requested_by=by, token=uuid4(), **row)
    Exhibition.objects.filter(pk=exhibition.pk).update(created=back(ago))
    for index, bot in enumerate((bot_of(by, f"mine-{by.username}"), bot_of(None, "greedy"))):
        version = bot.versions.first() or version_of(bot)
        ExhibitionPlayer.objects.create(exhibition=exhibition, part="seat", index=index, version=version)
    exhibition.refresh_from_db()
    return exhibition


def invitation(
    by: User, to: User, ladder: Ladder, ago: timedelta = A_WHILE, ahead: timedelta | None = None
) -> Exhibition:
    due_at = timezone.now() + (timedelta(days=3) if ahead is None else ahead)
    exhibition = exhibition_of(by, ladder, ago, kind="scheduled", state="invited", due_at=due_at)
    Agreement.objects.create(exhibition=exhibition, person=to)
    return exhibition


def ended_exhibition(by: User, ladder: Ladder, ago: timedelta = A_WHILE, **its: Any) -> Exhibition:
    return exhibition_of(by, ladder, ago, **{"state": "finished", "ended": back(ago), **its})


def ended_season(ladder: Ladder, standings: dict[Bot, int], ago: timedelta = A_WHILE) -> Season:
    """A closed season with the rank of each bot."""
    number = ladder.seasons.count() + 1
    season = Season.objects.create(ladder=ladder, number=number, closing=back(ago), closed=back(ago))
    for bot, rank in standings.items():
        membership, _ = Membership.objects.get_or_create(ladder=ladder, bot=bot)
        row = {"rank": rank, "rating": 1_500_000, "games": 30, "win_shares": 60}
        FinalStanding.objects.create(season=season, membership=membership, **row)
    return season
