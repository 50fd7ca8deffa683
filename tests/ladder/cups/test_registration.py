from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from bots.models import Bot
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User
from ladder.cups.desk import call_off
from ladder.cups.progress import advance
from ladder.cups.registration import clean_title, enter, in_zone, withdraw
from ladder.cups.verification import faults
from ladder.models import Cup, CupEntry, CupLedgerEntry
from tests.build import DUEL, person, uploaded, verified
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, played_out

pytestmark = pytest.mark.usefixtures("house")


def refusal(**changed: Any) -> str:
    """The code with which a cup is refused."""
    with pytest.raises(Refused) as refused:
        new_cup(**{"format_": "swiss", **changed})
    return refused.value.code


def test_the_key_is_committed_when_the_cup_is_created_and_secret_until_it_ends() -> None:
    cup = new_cup("swiss")
    assert len(bytes(cup.key)) == 32
    assert len(cup.key_hash) == 64
    assert cup.public_key is None


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"seats": 7}, "unknown_format"),
        ({"game": "chess"}, "unknown_format"),
        ({"format_": "arena"}, "unknown_cup_format"),
        ({"capacity": 2}, "capacity"),
        ({"capacity": 10_000}, "capacity"),
        ({"format_": "round-robin", "capacity": 65}, "capacity"),
        ({"blocks": 0}, "blocks"),
        ({"game": DUEL, "seats": 2, "format_": "round-robin", "rounds": None, "capacity": 200}, "games"),
        ({"rounds": None}, "rounds"),
        ({"format_": "knockout", "rounds": 3}, "rounds"),
        ({"entries_per_user": 0}, "entries"),
        ({"repeat_days": 0}, "repeat_days"),
        ({"about": "a" * 1001}, "about"),
        ({"time_zone": "Middle-earth/Shire"}, "time_zone"),
    ],
)
def test_wrong_settings_of_a_cup_are_refused(changed: dict[str, Any], code: str) -> None:
    assert refusal(**changed) == code


def test_times_of_a_cup_must_be_ahead_and_in_order() -> None:
    now = timezone.now()
    for closes, starts, code in ((-1, 2, "too_early"), (3, 2, "start_early"), (1, 24 * 200, "too_late")):
        times = {"closes_at": now + timedelta(hours=closes), "starts_at": now + timedelta(hours=starts)}
        assert refusal(**times) == code


def test_a_title_is_used_once_and_an_organizer_has_a_limit(settings: Any) -> None:
    new_cup("swiss")
    assert refusal() == "title_taken"
    settings.MAX_OPEN_CUPS_PER_USER = 1
    with pytest.raises(TooMany):
        new_cup("knockout", organizer=Cup.objects.get().organizer)


def test_the_cups_of_an_organizer_have_a_limit_of_games_per_day(settings: Any) -> None:
    """A Swiss cup of 63 bots at 3 seats has 3 rounds of 21 tables, which play 6 games each."""
    settings.MAX_CUP_GAMES_PER_DAY = 3 * 21 * 6 + 20
    first = new_cup("swiss", capacity=63)
    assert refusal(format_="knockout", organizer=first.organizer) == "games_per_day"
    new_cup("swiss", organizer=verified("bea"), title="Other cup")
    small = new_cup("swiss", organizer=first.organizer, capacity=3, title="Small cup")
    assert refusal(format_="knockout", capacity=3, organizer=first.organizer) == "games_per_day"
    call_off(verified("olga"), small, "Too early.")
    new_cup("swiss", organizer=first.organizer, capacity=3, title="Another small cup")
    Cup.objects.update(created=timezone.now() - timedelta(hours=25))
    new_cup("knockout", organizer=first.organizer)


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


def test_a_user_enters_own_bots_up_to_the_limits() -> None:
    ada = person("ada")
    bots = [uploaded(ada, name) for name in ("One", "Two")]
    cup = new_cup("swiss", game="edel-stein-reich-duel", seats=2)
    entry = enter(ada, cup, bots[0])
    assert enter(ada, cup, bots[0]) == entry
    with pytest.raises(Refused) as refused:
        enter(ada, cup, bots[1])
    assert refused.value.code == "entries_per_user"
    with pytest.raises(Refused) as refused:
        enter(person("bea"), cup, bots[0])
    assert refused.value.code == "not_your_bot"
    withdraw(ada, entry)
    assert enter(ada, cup, bots[1]).state == CupEntry.State.ENTERED


def test_users_without_a_verified_email_address_cannot_create_cups() -> None:
    assert refusal(organizer=person("ada")) == "email_not_verified"


@pytest.mark.parametrize(
    "title",
    [
        *("", " ", "-", "A" * 61, "Nazi cup", "C\u0443p", "Cup\u200b"),
        *("Steinreich", "Steinreich staff", "Staff, Steinreich", "STEINREICH-Staff"),
    ],
)
def test_unreadable_and_offensive_titles_are_refused(title: str) -> None:
    with pytest.raises(Refused) as refused:
        clean_title(title)
    assert refused.value.code == "title"


def test_open_cups_do_not_look_alike_and_slugs_stay_unique() -> None:
    first = new_cup("swiss", title="Spring Cup")
    assert first.slug == "spring-cup"
    assert refusal(title="SPRING-CUP") == "title_taken"
    call_off(verified("olga"), first, "Too early.")
    second = new_cup("swiss", title="Spring Cup", closes_at=first.closes_at, starts_at=first.starts_at)
    assert second.slug == f"spring-cup-{first.starts_at:%Y-%m-%d}"
    assert new_cup("swiss", title="New").slug.startswith("new-")


def test_the_url_of_a_cup_by_link_cannot_be_guessed() -> None:
    assert re.fullmatch(r"secret-cup-[0-9a-f]{16}", new_cup("swiss", title="Secret cup", listed=False).slug)


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


def test_a_description_has_lines_without_invisible_or_direction_changing_characters() -> None:
    cup = new_cup("swiss", about=" Bring your bots. \r\n\tAll are welcome.\n")
    assert cup.about == "Bring your bots.\n\tAll are welcome."
    for hidden in ("\u202e", "\u200b", "\u2066", "\x07", "\0", "\u2028"):
        with pytest.raises(Refused) as refused:
            new_cup("knockout", about=f"Bring your bots.\nAll are{hidden} welcome.")
        assert refused.value.code == "about"


def test_a_bot_that_its_owner_withdraws_after_the_deadline_ranks_last_in_undecided_games() -> None:
    ada = person("ada")
    mine = uploaded(ada)
    cup = due(entered(new_cup("swiss", game=DUEL, seats=2, rounds=1), [mine, *house_bots(DUEL, 2)[:1]]))
    entry = CupEntry.objects.get(cup=cup, bot=mine)
    assert withdraw(ada, entry).state == CupEntry.State.WITHDRAWN
    withdraw(ada, entry)
    left = CupLedgerEntry.objects.get(cup=cup, kind="left")
    assert (left.document["entrant"], left.author) == (entry.number, ada)
    played_out(cup)
    assert CupLedgerEntry.objects.get(cup=cup, kind="end").document["standings"][-1][1] == entry.number
    assert list(faults(cup)) == []
    with pytest.raises(Refused) as refused:
        withdraw(ada, entry)
    assert refused.value.code == "already_ended"


def test_a_full_cup_and_one_after_its_deadline_are_refused() -> None:
    bots = house_bots()
    cup = entered(new_cup("swiss", capacity=3), bots[:3])
    assert cup.organizer is not None
    with pytest.raises(Refused) as refused:
        enter(cup.organizer, cup, bots[3])
    assert refused.value.code == "full"
    Cup.objects.filter(pk=cup.pk).update(closes_at=cup.created, starts_at=cup.starts_at)
    with pytest.raises(Refused) as refused:
        enter(cup.organizer, cup, bots[0])
    assert refused.value.code == "registration_closed"


def test_a_bot_without_the_format_cannot_enter() -> None:
    ada = person("ada")
    bot = uploaded(ada)
    with pytest.raises(Refused) as refused:
        enter(ada, new_cup("swiss", seats=4), bot)
    assert refused.value.code == "not_playable"


def test_versions_and_owners_freeze_at_the_deadline() -> None:
    ada = person("ada")
    mine = [uploaded(ada, name) for name in ("One", "Two")]
    cup = new_cup("swiss", game=DUEL, seats=2, entries_per_user=2)
    due(entered(cup, [*mine, *house_bots(DUEL, 2)[:3]]))
    document = CupLedgerEntry.objects.get(cup=cup, kind="entrants").document
    owners = {entrant["bot"]: entrant["owner"] for entrant in document["entrants"]}
    assert owners[mine[0].pk] == owners[mine[1].pk] is not None
    assert [owner for bot, owner in owners.items() if bot not in {own_bot.pk for own_bot in mine}] == [None] * 3
    frozen = CupEntry.objects.filter(cup=cup).order_by("number")
    assert [entry.number for entry in frozen] == list(range(5))
    assert all(entry.version is not None and entry.version.active for entry in frozen)
    assert "key" not in document
    assert Bot.objects.filter(pk=mine[0].pk).exists()
