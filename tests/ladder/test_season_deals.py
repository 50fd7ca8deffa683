"""The public document of a season's deals, and the few lines of Python with which anybody checks it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ladder.models import Block, Ladder, Season
from ladder.seasons import close, lines, publish_keys
from tests.build import block_on, finish_block, games_of

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).parents[2]


def current(ladder: Ladder) -> Season:
    return Season.objects.get(ladder=ladder, closed=None)


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
