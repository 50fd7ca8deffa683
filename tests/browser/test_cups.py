"""The pages of running cups in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from ladder.cups.schedules import update_due
from ladder.models import CupRound, CupTable
from tests.browser.looker import Looker
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round
from tests.ladder.pages.site import Site

pytestmark = pytest.mark.slow


def test_running_cups_fit_their_windows_and_follow_their_rounds(site: Site, looker: Looker) -> None:
    cups = [due(entered(new_cup(format_), house_bots())) for format_ in ("round-robin", "knockout")]
    for cup in cups:
        while not CupRound.objects.filter(cup=cup, number=2).exists():  # a tie in a knockout needs another block
            play_round(cup)
    update_due()
    looker.open(*[f"/cups/{cup.slug}/" for cup in cups])
    looker.page.emulate_media(media="print")
    expect(looker.page.locator("svg.bracket")).to_be_visible()
    looker.page.emulate_media(media="screen")
    progress = looker.page.locator("[data-note=progress] progress")
    expect(progress).to_have_attribute("value", "0")
    CupTable.objects.filter(pk=CupTable.objects.filter(round__cup=cups[1], round__ended=None)[0].pk).update(
        decided=True
    )
    expect(progress).to_have_attribute("value", "1", timeout=12_000)
