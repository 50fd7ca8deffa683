"""Real processes that do the same at the same time, on the database of the test run (SQLite's file or PostgreSQL)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F, Max, Q

from bots.models import Bot, BotVersion
from bots.tournaments.seatings import seatings
from games.registry import GAMES
from ladder.creation import open_house
from ladder.ledger.rebuild import rerate
from ladder.matches.leases import MOST_FAILURES, give_back
from ladder.matches.results import record_result
from ladder.matches.schedule import QUEUE_LENGTH
from ladder.models import Attempt, Block, DealSeries, Ladder, LedgerEntry, Match, Membership, Result, Season
from ladder.upkeep import sweep
from ladder.verification.ladders import verify_deals
from tests.build import (
    DUEL,
    claimed,
    expire_lease,
    fill_with_blocks,
    first_games,
    first_players,
    match_of,
    new_version,
    person,
    report_of,
    scheduled,
    snapshot,
    staff,
    uploaded,
)
from tests.ladder.hosts import host, send_all
from tests.services.races import Race, Racer, RaceServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def race(race_server: RaceServer, tmp_path: Path) -> Race:
    return race_server.race_of("tests.ladder.races", tmp_path)


@pytest.fixture
def match(ladder: Ladder) -> Match:
    """The first of ``QUEUE_LENGTH`` queued matches, each from a different block, so that they can run at once."""
    fill_with_blocks(ladder, count=QUEUE_LENGTH)
    return first_games()[0]


@pytest.fixture(params=["celery", "host"])
def path(request: pytest.FixtureRequest) -> dict[str, str]:
    """Arguments of racers: they do what Celery workers do, or what a worker host does over the API."""
    if request.param == "celery":
        return {}
    send_all()
    return {"host": host("racing").name}


def flat(lists: Iterable[list[Any]]) -> list[Any]:
    return list(chain.from_iterable(lists))


def queued() -> list[int]:
    """The first games of blocks that are queued."""
    return list(first_games().filter(status="queued").values_list("pk", flat=True))


def leased(host: str = "") -> list[tuple[int, str]]:
    """Leases of all matches that :func:`queued` gives, of a Celery worker or of ``host``."""
    worker = f"host:{host}/0" if host else "here"
    return [(match.pk, str(claimed(match, worker).token)) for match in first_games().filter(status="queued")]


def check_accounts() -> None:
    """Every ladder's numbers are what its gapless ledger gives, and every deal is what its gapless number gives."""
    assert [rebuild.differences for rebuild in rerate(check=True)] == [[]] * Ladder.objects.count()
    assert [
        fault for season in Season.objects.all() for problem in verify_deals(season) for fault in problem.faults
    ] == []


def test_of_several_processes_one_claims_each_match(race: Race, match: Match, path: dict[str, str]) -> None:
    got = race(*[("claiming", {"matches": queued(), **path})] * 3)
    assert sorted(flat(got)) == list(first_games().values_list("pk", flat=True))
    assert Attempt.objects.count() == QUEUE_LENGTH == Match.objects.filter(status="running", attempts_started=1).count()


def test_of_the_matches_of_a_block_that_several_processes_claim_at_once_one_runs(race: Race, match: Match) -> None:
    blocks = list(Block.objects.order_by("pk"))
    seatings = [[block.matches.get(seating=seating).pk for block in blocks] for seating in range(3)]
    got = race(*(("claiming", {"matches": matches}) for matches in seatings))
    running = Match.objects.filter(status="running")
    assert sorted(flat(got)) == list(running.order_by("pk").values_list("pk", flat=True))
    assert sorted(running.values_list("block", flat=True)) == [block.pk for block in blocks]
    assert Attempt.objects.count() == len(blocks)


def test_the_same_results_brought_by_several_processes_count_once(
    race: Race, match: Match, path: dict[str, str]
) -> None:
    leases = leased(**path)
    got = race(*(("recording", {"leases": leases, "variety": variety, **path}) for variety in (1, 1, 2)))
    repeats = 3 if path else 1  # a host gets the same answer when it repeats a request
    assert Counter(flat(got)) == Counter({match: repeats for match, _ in leases})
    assert Result.objects.count() == LedgerEntry.objects.filter(kind="result").count() == QUEUE_LENGTH
    assert sum(Membership.objects.values_list("games", flat=True)) == 4 * QUEUE_LENGTH
    check_accounts()


def test_different_results_at_once_get_a_gapless_ledger_and_lose_no_change(
    race: Race, match: Match, path: dict[str, str]
) -> None:
    leases = leased(**path)
    got = race(*(("recording", {"leases": leases[part::3], "variety": part, **path}) for part in range(3)))
    assert sorted(flat(got)) == [match for match, _ in leases]
    check_accounts()


def test_redelivered_tasks_in_several_processes_play_each_match_once(race: Race, match: Match) -> None:
    got = race(*(("playing", {"matches": queued(), "variety": variety}) for variety in range(3)))
    assert Counter(flat(got)) == {"finished": QUEUE_LENGTH, None: 2 * QUEUE_LENGTH}
    check_accounts()


def test_celery_workers_and_a_worker_host_at_once_play_each_match_once(race: Race, match: Match) -> None:
    """The host also goes on with the next matches of the blocks."""
    send_all()
    racing = {"matches": queued(), "host": host("racing").name}
    of_celery, *of_host = race(
        ("playing", {"matches": queued(), "variety": 0}), *(("playing", {**racing, "variety": v}) for v in (1, 2))
    )
    played = Counter(of_celery)["finished"] + sum(of_host)
    assert played == Result.objects.count() == Attempt.objects.filter(ending="finished").count()
    assert not first_games().exclude(status="finished").exists()
    check_accounts()


def test_a_late_result_and_the_sweeper_never_both_have_the_match(
    race: Race, match: Match, path: dict[str, str]
) -> None:
    leases = leased(**path)
    for pk, _ in leases:
        expire_lease(Match.objects.get(pk=pk))
    recorded, swept, again = race(
        ("recording", {"leases": leases, "variety": 0, **path}),
        ("sweeping", {"times": 20}),
        ("sweeping", {"times": 20}),
    )
    assert len(recorded) + swept + again == QUEUE_LENGTH
    assert set(recorded) == set(Result.objects.values_list("match", flat=True))
    assert sorted(queued()) == sorted({pk for pk, _ in leases} - set(recorded))
    check_accounts()


def test_a_late_heartbeat_and_the_sweeper_never_both_have_the_match(
    race: Race, match: Match, path: dict[str, str]
) -> None:
    leases = leased(**path)
    for pk, _ in leases:
        expire_lease(Match.objects.get(pk=pk))
    renewed, swept = race(("renewing", {"leases": leases, **path}), ("sweeping", {"times": 5}))
    assert len(renewed) + swept == QUEUE_LENGTH
    assert renewed == list(Match.objects.filter(status="running").order_by("pk").values_list("pk", flat=True))
    assert set(renewed) == set(Attempt.objects.filter(ending="open").values_list("match", flat=True))


def test_a_late_result_and_the_new_attempts_result_never_both_count(
    race: Race, match: Match, path: dict[str, str]
) -> None:
    late = leased(**path)
    for pk, _ in late:
        expire_lease(Match.objects.get(pk=pk))
    race(("sweeping", {"times": 1}))
    new = leased(**path)
    first, second = race(
        ("recording", {"leases": late, "variety": 1, **path}), ("recording", {"leases": new, "variety": 2, **path})
    )
    assert first == []
    assert second == [pk for pk, _ in new]
    check_accounts()


def test_a_check_of_the_ratings_beside_new_results_finds_nothing(race: Race, match: Match) -> None:
    recorded, differences = race(("recording", {"leases": leased(), "variety": 0}), ("checking", {"times": 10}))
    assert len(recorded) == QUEUE_LENGTH
    assert differences == []


def test_a_worker_killed_before_its_commit_has_changed_nothing(race: Race, match: Match) -> None:
    lease = claimed(match)
    before = snapshot()
    assert race(("dying", {"match": match.pk, "token": str(lease.token)})) == [None]
    assert snapshot() == before
    assert record_result(lease, report_of(match))
    check_accounts()


def test_several_schedulers_fill_no_queue_beyond_its_length_but_for_the_rest_of_a_block(
    race: Race, house: None
) -> None:
    got = race(*[("filling", {})] * 3)
    scheduled = Counter(Match.objects.values_list("ladder", flat=True))
    assert sum(got) == scheduled.total()
    for ladder in Ladder.objects.filter(players="hosted"):
        games = len(seatings(ladder.seats))
        assert scheduled[ladder.pk] == -(-QUEUE_LENGTH // games) * games
        assert list(ladder.blocks.order_by("number").values_list("number", flat=True)) == list(
            range(1, scheduled[ladder.pk] // games + 1)
        )
    check_accounts()


def test_the_last_two_games_of_a_block_that_end_at_once_end_it_once_and_never_early(race: Race, house: None) -> None:
    """One is running, the other is withdrawn from the queue. Each of two transactions sees the other's game as pending,
    unless one of them waits.
    """
    leases, waiting = last_two_of_blocks()
    seen = race(("recording", {"leases": leases, "variety": 0}), withdrawing(waiting), ("watching", {"times": 400}))
    assert [len(got) for got in seen] == [20, 20, 0]
    assert Counter(Match.objects.values_list("status", flat=True)) == {"finished": 20, "cancelled": 20}
    check_blocks()
    check_accounts()


def test_a_game_that_is_given_up_and_one_that_is_withdrawn_at_once_end_their_block(race: Race, house: None) -> None:
    leases, waiting = last_two_of_blocks(failures=MOST_FAILURES - 1)
    got = race(("giving_back", {"leases": leases}), withdrawing(waiting), ("watching", {"times": 400}))
    assert [len(ids) for ids in got] == [20, 20, 0]
    assert Counter(Match.objects.values_list("status", flat=True)) == {"void": 20, "cancelled": 20}
    check_blocks()
    check_accounts()


def last_two_of_blocks(failures: int = 0) -> tuple[list[tuple[int, str]], list[int]]:
    """Leases of the first games of 20 duel blocks after ``failures`` failures, and the queued second games."""
    duel = Ladder.objects.get(slug=DUEL)
    blocks = [scheduled(duel, first_players(duel)) for _ in range(20)]
    first = first_games().filter(block__in=blocks)
    for game in list(first) * failures:
        give_back(claimed(game), Attempt.Ending.FAILED, "broken")
    waiting = Match.objects.filter(block__in=blocks, seating=1).order_by("pk")
    return leased(), list(waiting.values_list("pk", flat=True))


def withdrawing(matches: list[int]) -> Racer:
    return "withdrawing", {"matches": matches, "by": staff("eve").pk}


def check_blocks() -> None:
    """Every block has ended, and not before the last of its games."""
    last = Max("matches__ended")
    assert not Block.objects.filter(ended=None).exists()
    assert not Block.objects.annotate(last=last).filter(Q(ended__lt=F("last")) | Q(last=None)).exists()


def test_seasons_that_are_opened_several_times_at_once_are_opened_once(race: Race, house: None) -> None:
    numbers = [f"new-{number}" for number in range(5)]
    Ladder.objects.bulk_create(Ladder(slug=slug, name=slug, game=DUEL, seats=2) for slug in numbers)
    race(*[("opening_seasons", {"times": 3})] * 3)
    assert set(Counter(Season.objects.values_list("ladder", flat=True)).values()) == {1}
    assert Season.objects.count() == Ladder.objects.count()
    assert DealSeries.objects.count() == 3 * Ladder.objects.count()
    check_accounts()


def test_a_season_that_is_closed_several_times_beside_results_and_the_scheduler_loses_nothing(
    race: Race, match: Match
) -> None:
    leases, season = leased(), match.ladder.seasons.get()
    waiting = [scheduled(match.ladder, first_players(match.ladder)) for _ in range(3)]
    close_it = ("closing", {"seasons": [season.pk]})
    recording = [("recording", {"leases": leases[part::2], "variety": part}) for part in range(2)]
    got = race(*recording, close_it, close_it, ("filling", {}), ("sweeping", {"times": 5}))
    sweep()
    assert sorted(flat(got[:2])) == [pk for pk, _ in leases]
    assert sorted(flat(got[2:4])) == [season.pk]
    counted = LedgerEntry.objects.filter(kind="result", season=season, ladder=match.ladder)
    assert set(counted.values_list("result__match", flat=True)) == {pk for pk, _ in leases}
    assert Counter(Match.objects.filter(block__in=waiting).values_list("status", flat=True)) == {"cancelled": 12}
    begins = LedgerEntry.objects.filter(ladder=match.ladder, kind="season").values_list("number", "season__number")
    assert list(begins) == [(1, 1), (QUEUE_LENGTH + 2, 2)]
    assert sum(season.final_standings.values_list("games", flat=True)) == 4 * QUEUE_LENGTH
    check_accounts()


def test_a_house_that_is_opened_several_times_at_once_is_one_house(race: Race) -> None:
    assert race(*[("opening", {})] * 3) == [None] * 3
    before = [list(model.objects.order_by("pk").values()) for model in (Ladder, Bot, BotVersion, Membership)]
    assert len(before[0]) == sum(len(game.seat_counts) for game in GAMES.values()) * len(Ladder.Players)
    open_house()
    assert [list(model.objects.order_by("pk").values()) for model in (Ladder, Bot, BotVersion, Membership)] == before


def failing(leases: list[tuple[int, str]]) -> Racer:
    return "recording", {"leases": leases, "variety": 0, "forfeit": "exit"}


def leases_of(bot: Bot, ladders: Iterable[Ladder], count: int) -> list[tuple[int, str]]:
    matches = [match_of(bot, ladder, seed) for seed in range(count) for ladder in ladders]
    return [(match.pk, str(claimed(match).token)) for match in matches]


def test_failures_that_several_processes_bring_at_once_count_once_each(race: Race, house: None) -> None:
    ladders = Ladder.objects.filter(game__startswith="edel-stein-reich", players="hosted")
    formats = {game.slug: list(game.seat_counts) for game in GAMES.values()}
    bots = [uploaded(person(f"person-{number}"), f"Bot {number}", formats=formats) for number in range(2)]
    leases = [leases_of(bot, ladders, 1) for bot in bots]
    both = [failing(flat(leases)), failing(flat(leases[::-1])), failing(flat(leases)[::-1])]
    got = race(*both)
    assert Counter(flat(got)) == Counter(match for match, _ in flat(leases))
    for bot in bots:
        bot.refresh_from_db()
        assert bot.bad_in_a_row == len(leases[0])
        assert bot.paused is not None
        assert bot.pause_reason.count("match ") == 3
    check_accounts()


def test_owners_who_change_their_minds_beside_results_and_the_scheduler_stop_nobody(race: Race, house: None) -> None:
    ladders = list(Ladder.objects.filter(game__startswith="edel-stein-reich", players="hosted"))
    formats = {game.slug: list(game.seat_counts) for game in GAMES.values()}
    bots = [uploaded(person(f"person-{number}"), f"Bot {number}", formats=formats) for number in range(2)]
    for bot in bots:
        new_version(bot, formats=formats)
    leases = [leases_of(bot, ladders, 2) for bot in bots]
    owners = [("owning", {"bot": bot.pk, "times": 3}) for bot in bots]
    got = race(
        *owners, ("owning", {"bot": bots[0].pk, "times": 3}), *(failing(lease) for lease in leases), ("filling", {})
    )
    assert [sorted(brought) for brought in got[3:5]] == [sorted(pk for pk, _ in lease) for lease in leases]
    assert got[:3] == [None] * 3
    for bot in bots:
        hosted = Ladder.objects.filter(players="hosted").count()
        assert bot.memberships.filter(active=True, declined=False).count() == hosted
        assert bot.active_version == bot.versions.get(number=2)
    check_accounts()
