from __future__ import annotations

import pytest
from django.db.models.functions import Now

from bots.models import Bot
from ladder.cups.progress import advance
from ladder.cups.verification import faults
from ladder.matches.dispatch import recent, traffic
from ladder.matches.leases import claim, give_back
from ladder.models import Attempt, Block, Cup, CupDeal, CupEntry, CupLedgerEntry, CupRound, Match
from tests.build import DUEL, finished, person, signed_in, uploaded
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out

pytestmark = pytest.mark.usefixtures("house")

FORMATS = ["swiss", "round-robin", "knockout", "halving"]


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("seats", [3, 4])
def test_a_cup_is_played_to_its_end_and_can_be_verified(format_: str, seats: int) -> None:
    cup = played_out(entered(new_cup(format_, seats=seats), house_bots(seats=seats)))
    assert cup.state == Cup.State.FINISHED
    assert list(faults(cup)) == []
    assert cup.public_key is not None


def test_all_tables_of_a_round_play_the_same_deals_and_open_together() -> None:
    cup = due(entered(new_cup("swiss", blocks=2), house_bots()))
    blocks = Block.objects.filter(cup_table__round__cup=cup)
    tables = len({block.cup_table_id for block in blocks})
    assert tables > 1
    assert len({block.commitment for block in blocks}) == 2
    assert blocks.count() == 2 * tables
    last = Match.objects.filter(block__in=blocks).order_by("pk").last()
    assert last is not None
    for match in Match.objects.filter(block__in=blocks).exclude(pk=last.pk).select_related("ladder", "block"):
        finished(match, variety=match.seating)
    advance()
    assert not Block.objects.filter(pk__in=blocks, ended__isnull=False).exists()
    play_round(cup)
    assert not Block.objects.filter(cup_table__round__number=1, cup_table__round__cup=cup, ended=None).exists()


def test_calling_advance_again_changes_nothing() -> None:
    cup = due(entered(new_cup("knockout"), house_bots()))
    before = CupLedgerEntry.objects.filter(cup=cup).count(), CupRound.objects.count(), Block.objects.count()
    assert advance() == 0
    assert (CupLedgerEntry.objects.filter(cup=cup).count(), CupRound.objects.count(), Block.objects.count()) == before


def test_a_cup_with_too_few_entrants_is_canceled_with_a_reason() -> None:
    cup = due(entered(new_cup("swiss"), house_bots()[:2]))
    assert cup.state == Cup.State.CANCELLED
    assert cup.reason


def test_a_bot_that_is_paused_at_the_deadline_is_rejected() -> None:
    bots = house_bots()
    cup = entered(new_cup("swiss"), bots)
    Bot.objects.filter(pk=bots[0].pk).update(paused=cup.created, pause_reason="three forfeits in a row")
    due(cup)
    rejected = CupEntry.objects.get(cup=cup, bot=bots[0])
    assert (rejected.state, rejected.number, bool(rejected.reason)) == ("rejected", None, True)
    assert cup.state == Cup.State.RUNNING


def test_every_deal_is_used_in_one_round_only() -> None:
    cup = played_out(entered(new_cup("swiss"), house_bots()))
    assert CupDeal.objects.filter(cup=cup).count() == 3
    assert len(set(CupDeal.objects.values_list("commitment", flat=True))) == 3


def test_bots_of_one_owner_never_play_a_deal_at_the_same_time() -> None:
    ada = person("ada")
    mine = [uploaded(ada, name) for name in ("One", "Two")]
    cup = due(entered(new_cup("swiss", game=DUEL, seats=2, entries_per_user=2), [*mine, *house_bots(DUEL, 2)[:4]]))
    of_cup = Match.objects.filter(block__cup_table__round__cup=cup).order_by("pk")
    of_ada = [of_cup.filter(seats__version__bot=bot)[0] for bot in mine]
    others = of_cup.exclude(seats__version__bot__in=mine)
    first, second = of_ada
    assert first.block_id != second.block_id
    lease = claim(first.pk, "one")
    assert lease is not None
    Match.objects.filter(pk=second.pk).update(sent_at=Now())
    assert claim(second.pk, "two") is None
    second.refresh_from_db()
    assert second.sent_at is None
    assert second.pk not in traffic(recent()).in_turn
    assert claim(others[0].pk, "two") is not None
    give_back(lease, Attempt.Ending.FAILED, "the disk is full")
    assert claim(second.pk, "two") is not None


def test_the_end_of_a_block_advances_its_own_cup_only() -> None:
    cups = [due(entered(new_cup(format_), house_bots())) for format_ in ("knockout", "halving")]
    for match in Match.objects.select_related("ladder", "block").filter(status="queued").order_by("pk"):
        finished(match, variety=match.pk)
    last = Match.objects.filter(block__cup_table__round__cup=cups[0]).latest("pk")
    assert advance(after=last.pk) > 0
    assert [CupRound.objects.filter(cup=cup).count() for cup in cups] == [2, 1]
    assert advance(after=last.pk) == 0


def test_matches_of_a_cup_have_pages_and_documents() -> None:
    cup = played_out(entered(new_cup("knockout"), house_bots()))
    match = Match.objects.filter(block__cup_table__round__cup=cup).order_by("pk")[0]
    client = signed_in(None)
    assert client.get(f"/matches/{match.pk}/").status_code == 200
    document = client.get(f"/api/v1/matches/{match.pk}").json()
    assert (document["purpose"], document["rated"], document["open"]) == ("cup", False, True)
    assert client.get(f"/api/v1/matches/{match.pk}/record").status_code == 200
