"""Real processes that act on one cup at the same time, on the database of the test run."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from django.utils import timezone

from bots.models import Bot
from ladder.cups.progress import advance
from ladder.cups.verification import faults
from ladder.matches.leases import give_back, lease_of
from ladder.matches.results import record_result
from ladder.matches.schedule import fill
from ladder.models import Attempt, Block, Cup, CupEntry, CupLedgerEntry, CupRound, CupTable, Ladder, Match
from tests.build import DUEL, finished, person, report_of, uploaded
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, played_out
from tests.services.races import Race, RaceServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("house")]


@pytest.fixture
def race(race_server: RaceServer, tmp_path: Path) -> Race:
    return race_server.race_of("tests.ladder.cups.races", tmp_path)


@pytest.fixture
def bots() -> list[Bot]:
    """Four bots, one of them of ada."""
    return [uploaded(person("ada")), *house_bots(DUEL, 2)[:3]]


def cup_of(bots: list[Bot], format_: str = "knockout", **more: int) -> Cup:
    return entered(new_cup(format_, game=DUEL, seats=2, **more), bots)


def closed(cup: Cup) -> None:
    now = timezone.now() - timedelta(seconds=1)
    Cup.objects.filter(pk=cup.pk).update(closes_at=now, starts_at=now)


def games(cup: Cup) -> list[Match]:
    queued = Match.objects.filter(block__cup_table__round__cup=cup, status="queued")
    return list(queued.select_related("ladder", "block").order_by("pk"))


def by(cup: Cup) -> int:
    assert cup.organizer_id is not None
    return cup.organizer_id


def kinds(cup: Cup) -> list[str]:
    """The kinds of the ledger, whose numbers have no gaps."""
    entries = list(CupLedgerEntry.objects.filter(cup=cup).order_by("number").values_list("number", "kind"))
    assert [number for number, _kind in entries] == list(range(1, len(entries) + 1))
    return [kind for _number, kind in entries]


def test_of_several_schedulers_one_does_each_step(race: Race, bots: list[Bot]) -> None:
    """Freeze, create the next cup of the series, begin, replace a void block, decide, end the round and the cup."""
    cup = cup_of(bots, "swiss", rounds=2, repeat_days=7)
    closed(cup)
    assert sum(race(*[("advancing", {})] * 3)) == 2
    assert (kinds(cup), Block.objects.count()) == (["entrants", "round"], 2)
    assert Cup.objects.filter(previous=cup, state="registration").count() == Cup.objects.count() - 1 == 1
    broken, *others = games(cup)
    Match.objects.filter(pk=broken.pk).update(status="void", reason="The disk is full.", ended=timezone.now())
    for match in others:
        if match.block_id != broken.block_id:
            finished(match)
    assert sum(race(*[("advancing", {})] * 3)) == 2
    assert Block.objects.count() == len(set(Block.objects.values_list("commitment", flat=True))) == 3
    for _ in range(20):
        for match in games(cup):
            finished(match, variety=match.pk)
        race(*[("advancing", {"times": 3})] * 2)
        cup.refresh_from_db()
        if cup.state == Cup.State.FINISHED:
            break
    assert kinds(cup) == ["entrants", "round", "results", "round", "results", "end"]
    assert CupRound.objects.filter(ended__isnull=False).count() == 2
    assert list(faults(cup)) == []


def test_of_two_users_one_gets_the_last_place_before_the_deadline(race: Race, bots: list[Bot]) -> None:
    cup = cup_of(bots, "swiss", capacity=5)
    late = [uploaded(person(name), name) for name in ("bert", "cleo")]
    codes = race(*[("entering", {"cup": cup.pk, "bot": bot.pk}) for bot in late])
    assert sorted(codes) == ["", "full"]
    entry = CupEntry.objects.get(cup=cup, bot=bots[0])
    closed(cup)
    codes = race(
        ("advancing", {}),
        ("withdrawing", {"entry": entry.pk}),
        ("entering", {"cup": cup.pk, "bot": late[codes.index("full")].pk}),
        ("advancing", {}),
    )
    assert codes[2] == "registration_closed"
    entry.refresh_from_db()
    assert entry.state == "withdrawn"
    assert kinds(cup)[:2] == (["entrants", "round"] if entry.number is None else ["entrants", kinds(cup)[1]])
    assert ("left" in kinds(cup)) == (entry.number is not None)
    played_out(cup)
    assert list(faults(cup)) == []


def test_a_game_is_claimed_or_canceled_when_its_entrant_leaves(race: Race, bots: list[Bot]) -> None:
    cup = due(cup_of(bots))
    entry = CupEntry.objects.get(cup=cup, bot=bots[0])
    every = [match.pk for match in games(cup)]
    first, second, *_ = race(
        ("claiming", {"matches": every}),
        ("claiming", {"matches": every[::-1]}),
        ("disqualifying", {"by": by(cup), "entry": entry.pk}),
        ("advancing", {"times": 3}),
    )
    running = set(Match.objects.filter(status="running").values_list("pk", flat=True))
    assert sorted([*first, *second]) == sorted(running)
    matches = Match.objects.filter(seats__version__bot=bots[0], block__cup_table__round__cup=cup).exclude(
        pk__in=running
    )
    assert set(matches.values_list("status", flat=True)) <= {"cancelled"}
    for attempt in Attempt.objects.filter(ending="open"):
        give_back(lease_of(attempt.match_id, attempt.token), Attempt.Ending.FAILED, "the disk is full")
    assert list(faults(played_out(cup))) == []


def test_rulings_and_a_cancellation_at_the_moment_of_a_decision_have_one_effect_each(
    race: Race, bots: list[Bot]
) -> None:
    cup = due(cup_of(bots, "swiss", rounds=2))
    table = CupTable.objects.filter(round__cup=cup).order_by("index")[0]
    for match in games(cup):
        finished(match)
    rulings = [("ruling", {"by": by(cup), "table": table.pk, "what": what}) for what in ("loss", "void", "bye")]
    assert race(*rulings, ("advancing", {"times": 3}), ("advancing", {"times": 3}))[:3] == [True] * 3
    assert kinds(cup).count("ruling") == 3
    assert kinds(cup).count("results") == 1
    last = CupLedgerEntry.objects.filter(cup=cup, kind="ruling").order_by("-number")[0]
    table.refresh_from_db()
    assert table.points == last.document["points"]
    for match in games(cup)[:-1]:
        finished(match)
    racers = [("claiming", {"matches": [match.pk for match in games(cup)]}), ("advancing", {"times": 3})]
    race(*racers, ("calling_off", {"by": by(cup), "cup": cup.pk}), ("advancing", {"times": 3}))
    for attempt in Attempt.objects.filter(ending="open"):
        give_back(lease_of(attempt.match_id, attempt.token), Attempt.Ending.FAILED, "the disk is full")
    race(("advancing", {"times": 2}), ("advancing", {"times": 2}))
    cup.refresh_from_db()
    assert cup.state == Cup.State.CANCELLED
    assert kinds(cup).count("cancelled") == 1
    assert not Match.objects.filter(block__cup_table__round__cup=cup, status__in=Match.PENDING).exists()
    assert not CupRound.objects.filter(cup=cup, ended=None).exists()


def test_two_accounts_find_no_two_running_matches_of_one_deal(race: Race, bots: list[Bot]) -> None:
    """Two bots can signal to each other while they run, whoever owns them. So only what they know may not be shared:
    no two running matches, of a cup or of its ladder, ever have one deal.
    """
    players = [*bots, *(uploaded(person(name), name) for name in ("bert", "cleo"))]
    cup = due(cup_of(players, "swiss", rounds=2, blocks=2))
    Ladder.objects.exclude(pk=cup.ladder_id).update(open=False)
    most, waited = 0, 0
    for turn in range(40):
        fill(Random(turn))
        queued = list(Match.objects.filter(status="queued").order_by("pk").values_list("pk", flat=True))
        race(*[("claiming", {"matches": Random(turn + number).sample(queued, len(queued))}) for number in range(3)])
        running = Match.objects.filter(status="running")
        deals = [bytes(seed) for seed in running.values_list("block__seed", flat=True)]
        assert len(set(deals)) == len(deals)
        most, waited = max(most, len(deals)), waited + len(queued) - len(deals)
        for attempt in Attempt.objects.filter(ending="open").select_related("match__ladder", "match__block"):
            lease = lease_of(attempt.match_id, attempt.token)
            assert record_result(lease, report_of(attempt.match, variety=attempt.match_id)) is not None
        advance()
        cup.refresh_from_db()
        if cup.state == Cup.State.FINISHED:
            break
    assert cup.state == Cup.State.FINISHED
    assert most > 2 and waited > 0  # matches ran at the same time, and others of their blocks waited
    seeds = [bytes(seed) for seed in Block.objects.values_list("seed", flat=True)]
    assert len(set(seeds)) == len(seeds)
