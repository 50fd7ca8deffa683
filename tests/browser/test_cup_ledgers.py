"""Ledgers of cups verified in a real browser, by a worker with its own WebCrypto."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from ladder.creation import open_house
from ladder.models import Cup
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out

pytestmark = pytest.mark.slow


@pytest.fixture
def cup(transactional_db: None) -> Cup:
    """A cup with two rounds that has started."""
    open_house()
    return due(entered(new_cup("swiss", rounds=2), house_bots()))


def states(page: Page, cup: Cup) -> dict[str, str]:
    """The state of each check, after a click on the button."""
    page.goto(f"/cups/{cup.slug}/")
    button = page.locator("verify-cup button")
    button.click()
    expect(page.locator("verify-cup .checks > li").first).to_be_visible()
    expect(button).to_be_enabled()
    expect(page.locator("verify-cup progress")).to_be_hidden()
    found: dict[str, str] = page.locator("verify-cup .checks").evaluate(
        "(list) => Object.fromEntries([...list.children].map((one) => [one.dataset.check, one.dataset.state]))"
    )
    return found


def test_a_reader_verifies_a_cup_while_it_runs_and_after_its_end(watched: Page, cup: Cup) -> None:
    play_round(cup)
    running = states(watched, cup)
    assert (running["hashes"], running["points"], running["pairings"]) == ("verified", "verified", "waiting")
    played_out(cup)
    over = states(watched, cup)
    assert over.pop("events") == "none"
    assert set(over.values()) == {"verified"}


def test_a_forged_result_is_found_and_named(watched: Page, cup: Cup) -> None:
    played_out(cup)

    def answer(route: Route) -> None:
        response = route.fetch()
        document = response.json()
        results = next(one["document"] for one in document["entries"] if one["kind"] == "results")
        results["points"][0] = [99, 0, 0]
        route.fulfill(response=response, json=document)

    watched.route("**/ledger.json", answer)
    found = states(watched, cup)
    assert {found["hashes"], found["points"], found["standings"]} == {"failed"}
    expect(watched.locator("verify-cup [data-check=points]")).to_contain_text("Round 1, table 1")
