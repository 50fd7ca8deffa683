"""Seasons: one open at a time, each with keys of its own, closed when its last rated match has ended."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import timedelta
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from ladder import seasons
from ladder.deals import seed_of
from ladder.ledger import NoSeason
from ladder.models import Block, DealSeries, Entry, FinalStanding, Ladder, LedgerEntry, Match, Season
from ladder.rebuilding import rerate
from ladder.season_deals import lines
from ladder.seasons import WrongMoment, close, close_due, open_next, plan, publish_keys
from ladder.sweeping import sweep
from tests.ladder.blocks import block_on, finish_block, finish_game, games_of

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).parents[2]


def current(ladder: Ladder) -> Season:
    return Season.objects.get(ladder=ladder, closed=None)


def ratings(ladder: Ladder) -> dict[int, int]:
    return dict(Entry.objects.filter(ladder=ladder).values_list("pk", "rating"))


def check_accounts() -> None:
    assert [rebuild.differences for rebuild in rerate(check=True)] == [[]] * Ladder.objects.count()


def test_every_new_ladder_has_a_season_with_three_keys_of_its_own(house: None) -> None:
    for ladder in Ladder.objects.all():
        assert current(ladder).number == 1
        names = {one.kind: one.name for one in DealSeries.objects.filter(season__ladder=ladder)}
        assert names == {"ladder": ladder.slug, "test": f"test-{ladder.slug}", "live": f"live-{ladder.slug}"}
    keys = [bytes(one.key) for one in DealSeries.objects.all()]
    assert len(set(keys)) == len(keys) == 3 * Ladder.objects.count()
    assert all(one.key_hash == sha256(bytes(one.key)).hexdigest() for one in DealSeries.objects.all())


def test_the_hashes_of_the_keys_stand_in_the_ledger_before_the_first_deal(ladder: Ladder) -> None:
    first = LedgerEntry.objects.get(ladder=ladder, number=1)
    assert first.document["keys"] == dict(
        DealSeries.objects.filter(season__ladder=ladder).values_list("name", "key_hash")
    )


def test_deals_follow_from_key_and_number_and_void_blocks_use_up_theirs(ladder: Ladder) -> None:
    blocks = [block_on(ladder) for _ in range(3)]
    blocks.append(block_on(ladder, Block.Purpose.TEST))
    Match.objects.filter(block=blocks[1]).update(status="cancelled", reason="a test", ended=timezone.now())
    assert [(block.series and block.series.kind, block.number) for block in blocks] == [
        ("ladder", 1),
        ("ladder", 2),
        ("ladder", 3),
        ("test", 1),
    ]
    for block in blocks:
        assert block.series is not None
        assert bytes(block.seed) == seed_of(bytes(block.series.key), block.series.name, 1, block.number or 0)


def test_closing_freezes_the_table_and_opens_the_next_with_regressed_ratings(ladder: Ladder) -> None:
    finish_block(block_on(ladder))
    before = ratings(ladder)
    assert close(current(ladder)).closed
    final = list(FinalStanding.objects.filter(season__ladder=ladder))
    assert [(one.entry_id, one.rating) for one in final] == sorted(
        ((pk, before[pk]) for pk in [one.entry_id for one in final]), key=lambda pair: -pair[1]
    )
    assert [one.rank for one in final][:1] == [1]
    assert len(final) == 4
    assert current(ladder).number == 2
    for pk, rating in ratings(ladder).items():
        assert rating == 1_500_000 + int((before[pk] - 1_500_000) / 2)
    assert not Entry.objects.filter(ladder=ladder, games__gt=0).exists()
    check_accounts()
    finish_block(block_on(ladder))
    check_accounts()


@pytest.mark.parametrize("kept", [Fraction(0), Fraction(3, 4), Fraction(1)])
def test_what_the_next_season_keeps_can_be_chosen(ladder: Ladder, kept: Fraction) -> None:
    finish_block(block_on(ladder))
    before = ratings(ladder)
    close(current(ladder), kept)
    for pk, rating in ratings(ladder).items():
        assert rating == 1_500_000 + int((before[pk] - 1_500_000) * kept)
    check_accounts()


def test_a_season_waits_for_what_has_begun_and_cancels_what_has_not(ladder: Ladder) -> None:
    block = block_on(ladder)
    begun, *untouched = games_of(block)
    Match.objects.filter(pk=begun.pk).update(attempts_started=1)
    season = close(current(ladder))
    assert season.closing
    assert season.closed is None
    assert set(Match.objects.filter(pk__in=[match.pk for match in untouched]).values_list("status", flat=True)) == {
        "cancelled"
    }
    with pytest.raises(NoSeason):
        block_on(ladder)
    finish_game(begun)
    sweep()
    season.refresh_from_db()
    assert season.closed
    assert LedgerEntry.objects.get(ladder=ladder, number=3).kind == "season"
    block_on(ladder)
    check_accounts()


def test_keys_are_published_when_the_season_is_closed_and_all_its_blocks_are_over(ladder: Ladder) -> None:
    finish_block(block_on(ladder))
    left = block_on(ladder, Block.Purpose.TEST)
    season = current(ladder)
    assert publish_keys() == 0
    close(season)
    assert publish_keys() == 0
    assert not any(one.public_key for one in DealSeries.objects.filter(season=season))
    finish_block(left)
    assert publish_keys() == 3
    assert publish_keys() == 0
    assert all(one.public_key for one in DealSeries.objects.filter(season=season))
    assert not any(one.public_key for one in DealSeries.objects.filter(season=current(ladder)))


def test_a_season_is_closed_once_and_the_next_one_not_by_the_same_click(ladder: Ladder) -> None:
    season = current(ladder)
    close(season)
    with pytest.raises(WrongMoment, match="is closed already"):
        close(season)
    with pytest.raises(WrongMoment, match="is closed already"):
        plan(season, timezone.now())
    assert current(ladder).number == 2


def test_a_last_season_leaves_the_ladder_without_one_until_the_next_is_opened(ladder: Ladder) -> None:
    with pytest.raises(WrongMoment, match="Close it first"):
        open_next(ladder)
    close(current(ladder), None)
    assert not Season.objects.filter(ladder=ladder, closed=None).exists()
    assert open_next(ladder).number == 2


def test_a_planned_season_closes_when_its_time_has_come(ladder: Ladder) -> None:
    season = current(ladder)
    plan(season, timezone.now() + timedelta(hours=1), Fraction(1, 4))
    assert close_due() == 0
    Season.objects.filter(pk=season.pk).update(closes_at=timezone.now() - timedelta(seconds=1))
    sweep()
    season.refresh_from_db()
    assert season.closed
    assert LedgerEntry.objects.filter(ladder=ladder).latest("number").document["regress"] == [1, 4]
    assert close_due() == 0
    assert current(ladder).number == 2


def test_a_plan_can_be_taken_back(ladder: Ladder) -> None:
    season = current(ladder)
    plan(season, timezone.now() + timedelta(hours=1))
    plan(season, None)
    season.refresh_from_db()
    assert season.closes_at is None


@pytest.fixture
def downloaded(ladder: Ladder, tmp_path: Path) -> Path:
    """The deals of a season that is over, as anybody gets them."""
    for _ in range(2):
        finish_block(block_on(ladder))
    season = current(ladder)
    close(season)
    publish_keys()
    file = tmp_path / "deals.jsonl"
    file.write_text("".join(lines(season)))
    return file


def checked(file: Path) -> subprocess.CompletedProcess[str]:
    script = ROOT / "esr_platform/static/esr/check_season.py"
    return subprocess.run([sys.executable, script, file], capture_output=True, text=True, check=False)


def test_the_script_of_the_season_page_finds_every_deal_right(downloaded: Path) -> None:
    assert checked(downloaded).stdout == "All 2 deals are what the season's keys give.\n"
    assert checked(downloaded).returncode == 0


@pytest.mark.parametrize("what", ["seed", "commitment", "number", "key_hash", "key"])
def test_the_script_of_the_season_page_finds_what_was_changed(downloaded: Path, what: str) -> None:
    text = downloaded.read_text()
    if what == "number":
        changed = text.replace('"number":2', '"number":3')
    else:
        changed = re.sub(rf'"{what}":"[0-9a-f]{{64}}"', f'"{what}":"{"0" * 64}"', text, count=1)
    assert changed != text
    downloaded.write_text(changed)
    assert checked(downloaded).returncode == 1
    assert "Wrong: [" in checked(downloaded).stderr


def test_the_script_waits_for_the_keys(ladder: Ladder, tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_text("".join(lines(current(ladder))))
    assert "secret until the season is over" in checked(file).stderr


def test_the_documentation_shows_the_script_as_it_is() -> None:
    script = (ROOT / "esr_platform/static/esr/check_season.py").read_text()
    assert f"```python\n{script}```" in (ROOT / "docs/ladders.md").read_text()


def test_the_document_of_a_season_has_every_deal_in_order_and_nothing_closed(ladder: Ladder) -> None:
    over = finish_block(block_on(ladder))
    left = block_on(ladder)
    test = finish_block(block_on(ladder, Block.Purpose.TEST))
    head, *deals = map(json.loads, lines(current(ladder)))
    assert (head["format"], head["ladder"], head["season"], head["closed"]) == ("season-deals/1", ladder.slug, 1, None)
    assert {one["name"]: (one["key"], one["deals"]) for one in head["series"]} == {
        ladder.slug: (None, 2),
        f"live-{ladder.slug}": (None, 0),
        f"test-{ladder.slug}": (None, 1),
    }
    assert [(deal["name"], deal["number"], deal["seed"]) for deal in deals] == [
        (ladder.slug, 1, bytes(over.seed).hex()),
        (ladder.slug, 2, None),
        (f"test-{ladder.slug}", 1, bytes(test.seed).hex()),
    ]
    assert deals[1]["matches"] == [match.pk for match in games_of(left)]


def test_the_command_closes_now_later_and_for_good(ladder: Ladder, capsys: Any) -> None:
    call_command("season", "close", ladder.slug, "--at", "2099-01-31T20:00", "--keep", "3/4")
    assert current(ladder).closes_at is not None
    call_command("season", "close", ladder.slug)
    assert current(ladder).number == 2
    call_command("season", "close", ladder.slug, "--last")
    with pytest.raises(CommandError, match="has no open season"):
        call_command("season", "close", ladder.slug)
    call_command("season", "open", ladder.slug, "--keep", "1")
    assert capsys.readouterr().out.splitlines() == [
        f"{ladder}, season 1 closes on 2099-01-31 at 20:00 UTC.",
        f"{ladder}, season 1 is closed.",
        f"{ladder}, season 2 is closed.",
        f"{ladder}, season 3 is open.",
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["close", "nowhere"], "No ladder is called nowhere"),
        (["close", "edel-stein-reich-4", "--keep", "2"], "no share from 0 to 1"),
        (["close", "edel-stein-reich-4", "--at", "soon"], "no date and time"),
        (["open", "edel-stein-reich-4"], "Close it first"),
    ],
)
def test_the_command_says_what_is_wrong(ladder: Ladder, arguments: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        call_command("season", *arguments)


def test_seasons_of_a_ladder_that_was_closed_twice_have_no_gap(ladder: Ladder) -> None:
    for _ in range(3):
        seasons.close(current(ladder))
    assert list(Season.objects.filter(ladder=ladder).values_list("number", flat=True)) == [1, 2, 3, 4]
