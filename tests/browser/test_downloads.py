"""Downloads of a cup and of a season, complete in a browser and in curl, from the web server of a site."""

from __future__ import annotations

import subprocess
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Browser

from bots.cli.esr import main
from bots.cli.frame import UNFINISHED
from ladder.models import Ladder
from tests.browser.hall import answers
from tests.build import DUEL, block_on, finish_block, opened_house
from tests.ladder.cups.cups import entered, house_bots, new_cup, played_out
from tests.services.ports import free_port, wait_until
from tests.services.workers import Processes

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_downloads_of_a_cup_and_a_season_are_complete(browser: Browser, site_processes: Processes) -> None:
    opened_house()
    finish_block(block_on(Ladder.objects.get(slug=DUEL)))
    cup = played_out(entered(new_cup("swiss", game=DUEL, seats=2), house_bots(DUEL, 2)))
    port = free_port()
    site_processes.web(port)
    site = f"http://localhost:{port}"
    wait_until(lambda: answers(f"{site}/about/"), "the web server answers")
    page = browser.new_context().new_page()
    for address, link in {
        f"/cups/{cup.slug}/": "ledger.json",
        f"/cups/{cup.slug}/ ": "results.csv",
        f"/ladders/{DUEL}/seasons/1/": "deals.jsonl",
        f"/ladders/{DUEL}/integrity/": "ledger.jsonl",
    }.items():
        page.goto(site + address.strip())
        with page.expect_download() as started:
            page.locator(f'a[href$="{link}"]').first.click()
        url = started.value.url
        whole = httpx2.get(url, headers={"Accept-Encoding": "identity"}).content
        assert len(whole) > 500, url
        assert Path(started.value.path()).read_bytes() == whole, url
        assert subprocess.run(["curl", "-s", "--compressed", url], capture_output=True, check=True).stdout == whole, url
    assert main(["verify-cup", f"{site}/cups/{cup.slug}/"]) == 0
    assert main(["verify-season", f"{site}/ladders/{DUEL}/seasons/1/"]) == UNFINISHED
