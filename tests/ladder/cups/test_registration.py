from __future__ import annotations

import pytest

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from ladder.cups.registration import enter, withdraw
from ladder.cups.verification import faults
from ladder.models import Cup, CupEntry, CupLedgerEntry
from tests.build import DUEL, person, uploaded
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, played_out

pytestmark = pytest.mark.usefixtures("house")


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
