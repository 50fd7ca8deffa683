from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import User
from ladder.cups.progress import advance
from ladder.cups.series import in_zone
from ladder.models import Cup, CupEntry, CupLedgerEntry
from tests.build import person
from tests.ladder.cups.cups import due, entered, house_bots, new_cup

pytestmark = pytest.mark.usefixtures("house")


def test_a_daily_series_goes_on_at_the_limit_of_games_and_ends_above_it(settings: Any) -> None:
    settings.MAX_CUP_GAMES_PER_DAY = 3 * 21 * 6
    cup = entered(new_cup("swiss", capacity=63, repeat_days=1), house_bots())
    Cup.objects.update(created=timezone.now() - timedelta(hours=23, minutes=59))
    second = due(cup).next
    assert second.repeat_days == 1
    entered(second, house_bots())
    new_series = Cup.objects.filter(previous=second)
    assert due(second).repeat_days is None
    assert not new_series.exists()
    assert CupLedgerEntry.objects.filter(cup=second, kind="changed").count() == 1


def test_local_times_that_clocks_skip_do_not_exist_and_double_ones_are_the_first() -> None:
    assert in_zone(datetime.fromisoformat("2026-03-29T02:30"), "Europe/Berlin") is None
    double = in_zone(datetime.fromisoformat("2026-10-25T02:30"), "Europe/Berlin")
    assert double is not None
    assert double.astimezone(UTC) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert in_zone(datetime.fromisoformat("0001-01-01"), "Asia/Tokyo") is None


@pytest.mark.parametrize("month", [1, 7])
def test_the_next_cup_of_a_series_is_created_once_at_the_same_local_time(month: int) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    cup = new_cup("swiss", time_zone="Europe/Berlin", repeat_days=7, about="Every week.")
    cup.co_organizers.add(person("bea"))
    long_ago = datetime(2020, month, 6, 18, tzinfo=berlin)
    Cup.objects.filter(pk=cup.pk).update(closes_at=long_ago, starts_at=long_ago + timedelta(hours=1))
    entered_late = house_bots()[:3]
    for bot in entered_late:
        CupEntry.objects.create(cup=cup, bot=bot)
    advance()
    advance()
    (following,) = Cup.objects.filter(previous=cup)
    local = following.starts_at.astimezone(berlin)
    assert (local.hour, local.minute, (local.date() - long_ago.date()).days % 7) == (19, 0, 0)
    assert following.closes_at > timezone.now()
    assert (following.title, following.about, following.repeat_days) == (cup.title, cup.about, 7)
    assert following.key_hash != cup.key_hash
    assert [user.username for user in following.co_organizers.all()] == ["bea"]


def test_a_series_ends_after_two_cups_with_too_few_bots_or_without_its_organizer() -> None:
    first = due(new_cup("swiss", repeat_days=1))
    second = due(Cup.objects.get(previous=first))
    assert (first.state, second.state) == ("cancelled", "cancelled")
    assert not Cup.objects.filter(previous=second).exists()
    other = new_cup("swiss", repeat_days=1)
    User.objects.filter(pk=other.organizer_id).update(
        suspended=timezone.now(), suspension_reason="spam", is_active=False
    )
    assert not Cup.objects.filter(previous=due(other)).exists()


def test_the_cups_of_a_series_leave_their_organizer_the_quota_of_the_day(settings: Any) -> None:
    settings.MAX_CUPS_PER_DAY = 2
    first = new_cup("swiss", repeat_days=1)
    entered(first, house_bots()[:3])
    due(first)
    assert Cup.objects.filter(previous=first).exists()
    new_cup("swiss", title="Another one")
    with pytest.raises(TooMany):
        new_cup("swiss", title="One too many")


def test_a_series_ends_if_its_organizer_has_too_many_open_cups(settings: Any) -> None:
    settings.MAX_OPEN_CUPS_PER_USER = 1
    first = new_cup("swiss", repeat_days=1)
    entered(first, house_bots()[:3])
    first = due(first)
    second = due(entered(Cup.objects.get(previous=first), house_bots()[:3]))
    assert (first.state, second.state) == ("running", "running")
    assert not Cup.objects.filter(previous=second).exists()
    last = CupLedgerEntry.objects.get(cup=second, kind="changed")
    assert (second.repeat_days, last.document["fields"], last.author) == (None, ["repeat_days"], None)
