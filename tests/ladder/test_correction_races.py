"""Corrections at the same moment as results, each other and the end of a season, by real processes."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from esr_platform.accounts.models import User
from ladder.ledger.entries import rating_rules_of
from ladder.matches.results import record_result
from ladder.models import Ladder, LedgerEntry, Match, RebuildRun, Result, Season
from tests.build import claimed, fill_with_blocks, report_of, variety_of
from tests.ladder.matches.test_races import check_accounts, leased
from tests.services.races import Race, RaceServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def race(race_server: RaceServer, tmp_path: Path) -> Race:
    return race_server.race_of("tests.ladder.races", tmp_path)


@pytest.fixture
def half_played(match: Match) -> Ladder:
    """A ladder with eight results, and eight blocks in the queue."""
    for queued in Match.objects.select_related("ladder", "block").filter(status="queued").order_by("pk"):
        record_result(claimed(queued), report_of(queued, variety=variety_of(queued)))
    fill_with_blocks(match.ladder, seed=2)
    return match.ladder


def finished() -> list[int]:
    return list(Match.objects.filter(status="finished").order_by("pk").values_list("pk", flat=True))


def test_concurrent_results_and_corrections_are_neither_lost_nor_duplicated(
    race: Race, half_played: Ladder, eve: User
) -> None:
    old, leases = finished(), leased()
    first, second, voided, ks, differences = race(
        ("recording", {"leases": leases[::2], "variety": 1}),
        ("recording", {"leases": leases[1::2], "variety": 2}),
        ("voiding", {"matches": old[:4], "by": eve.pk}),
        ("changing_k", {"ladder": half_played.pk, "ks": [10, 30, 50], "by": eve.pk}),
        ("repairing", {"times": 3}),
    )
    assert sorted([*first, *second]) == sorted(match for match, _ in leases)
    assert (voided, ks, differences) == (old[:4], [10, 30, 50], [])
    assert Result.objects.count() == len(old) + len(leases)
    ledger = LedgerEntry.objects.filter(ladder=half_played)
    assert ledger.filter(kind="result").count() == Result.objects.count()
    assert ledger.filter(kind="void").count() == 4 and ledger.filter(kind="k").count() == 3
    assert rating_rules_of(half_played).k.established == 50
    check_accounts()


def test_concurrent_voids_of_the_same_results_each_succeed_once(race: Race, half_played: Ladder, eve: User) -> None:
    old = finished()[:5]
    got = race(*[("voiding", {"matches": matches, "by": eve.pk}) for matches in (old, old[::-1], old)])
    assert sorted(chain(*got)) == old
    assert LedgerEntry.objects.filter(kind="void").count() == 5
    assert RebuildRun.objects.filter(purpose="correction").count() == 5
    check_accounts()


def test_a_result_and_a_withdrawal_never_both_have_the_match(race: Race, half_played: Ladder, eve: User) -> None:
    leases = leased()
    matches = [match for match, _ in leases]
    recorded, withdrawn, again = race(
        ("recording", {"leases": leases, "variety": 0}),
        ("withdrawing", {"matches": matches, "by": eve.pk}),
        ("withdrawing", {"matches": matches[::-1], "by": eve.pk}),
    )
    assert sorted([*recorded, *withdrawn, *again]) == sorted(matches)
    assert set(recorded) == set(Result.objects.filter(match__in=matches).values_list("match", flat=True))
    check_accounts()


def test_corrections_come_before_the_end_of_a_season_or_not_at_all(race: Race, half_played: Ladder, eve: User) -> None:
    old, season = finished(), Season.objects.get(ladder=half_played)
    voided, ks, closed = race(
        ("voiding", {"matches": old, "by": eve.pk}),
        ("changing_k", {"ladder": half_played.pk, "ks": [11, 33], "by": eve.pk}),
        ("closing", {"seasons": [season.pk]}),
    )
    assert closed == [season.pk] and ks == [11, 33]
    first = LedgerEntry.objects.get(ladder=half_played, kind="season", document__season=2).number
    written = LedgerEntry.objects.filter(kind="void")
    assert sorted(membership.document["match"] for membership in written) == voided
    assert all(membership.number < first for membership in written)
    check_accounts()
