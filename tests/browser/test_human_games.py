"""People play whole games against each other, each in a browser of their own; others go away, come back, look on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from ladder.live.rows import position_of
from ladder.models import Ladder, LiveSeat, Match, PlayedMove, SeatResult
from tests.browser.hall import NUMBER, SHORT, Hall, Sitter, all_received, documents, known, table_of_people
from tests.browser.test_composers import emails
from tests.services.ports import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


KINDS = ("action", "open_barter", "answer_offer", "counter_gift", "event_card", "immediate", "free_choice", "guess")
"""What is decided in Edel, Stein & Reich."""

PHONE = {"width": 360, "height": 780}


def ladder(slug: str) -> Ladder:
    return Ladder.objects.get(slug=slug)


def heard_all(sitter: Sitter, match: Match) -> None:
    """The page has been told each membership of its seat's log once: no gap, none twice."""
    state = position_of(Match.objects.select_related("ladder", "block").get(pk=match.pk)).state(journal=True)
    place_shown = sitter.page.evaluate("document.querySelector('sitting-table').told.place")
    assert place_shown == len(state.entries(sitter.seat))
    place = None
    for event in documents(sitter):
        if event.get("type") != "moments":
            continue
        if event.get("reset") or place is None:
            place = event["log_from"]
        assert event["log_from"] == place, "what comes again was heard before, and what is missing is not jumped over"
        place += sum(len(moment["entries"]) for moment in event["moments"])
    assert place == place_shown


def secrets_in(document: Any, seat: int) -> Iterator[Any]:
    """What of a document says which action ``seat`` has chosen in the first round."""
    if isinstance(document, list):
        for value in document:
            yield from secrets_in(value, seat)
    if not isinstance(document, dict):
        return
    if document.get("seat") == seat and document.get("decision") == "action":
        yield document
    players = document.get("players")
    if isinstance(players, list) and players[seat].get("action"):
        yield players[seat]
    if document.get("seat") == seat and document.get("you"):
        yield document["you"]
    yous = document.get("yous")
    if isinstance(yous, list) and yous[seat]:
        yield yous[seat]
    for value in document.values():
        yield from secrets_in(value, seat)


def test_three_people_play_edel_stein_and_reich_with_a_spectator(hall: Hall) -> None:
    match = table_of_people(ladder("edel-stein-reich-3-people"), ["ada", "bob", "cid"])
    ada, bob, cid = hall.sit(match, ["ada", "bob", "cid"])
    onlooker = hall.visitor()
    onlooker.page.goto(f"/matches/{match.pk}/")
    onlooker.page.evaluate("window.loadedOnce = true")
    for sitter in (ada, bob, cid):
        assert sitter.until_asked()["kind"] == "action"
    # hidden is hidden: ada's choice reaches nobody before the last one has chosen
    assert ada.send("event")["sent"]
    expect(ada.waiting).to_have_text(re.compile("Waiting for"))
    assert bob.send("gems")["sent"]
    for other in (bob, cid, onlooker):
        assert [*secrets_in(list(documents(other)), ada.seat)] == []
        assert not re.search(r'"action":\s*"event"', all_received(other))
    assert cid.send("gems")["sent"]
    cid.page.wait_for_function(
        "() => document.querySelector('sitting-table').told.last.view.players[0].action === 'event'"
    )
    for sitter in (ada, bob, cid):
        sitter.play()
    expect(onlooker.page.locator("running-table.begun")).to_be_visible(timeout=180_000)
    expect(onlooker.page.locator("[data-viewers]")).to_contain_text("1", timeout=60_000)
    # a disconnect: the others wait, the clock goes on, and it goes on where it was
    bob.context.set_offline(True)
    expect(bob.page.locator(".sitting-lost")).to_be_visible()
    cid.page.wait_for_function(
        "() => document.querySelector('sitting-table').present.waiting.includes(1)", timeout=180_000
    )
    ada.play(kept=KINDS)
    bob.context.set_offline(False)
    expect(bob.page.locator(".sitting-lost")).to_be_hidden(timeout=60_000)
    by_hand = ada.play_by_hand(KINDS, ada.page.click)
    assert by_hand >= {"action", "open_barter", "answer_offer"}
    for sitter in (ada, bob, cid):
        sitter.until_the_end()
        assert sum(sitter.played().values()) > 20
        heard_all(sitter, match)
    assert Match.objects.get(pk=match.pk).status == Match.Status.FINISHED
    winners = [result.seat.index for result in SeatResult.objects.filter(seat__match=match, rank=1)]
    won = "true" if ada.seat in winners else "false"
    expect(ada.page.locator(f".sitting-end[data-won={won}]")).to_be_visible()
    expect(onlooker.page.locator("game-replay.begun")).to_be_visible(timeout=60_000)
    assert onlooker.page.evaluate("window.loadedOnce"), "nothing was loaded anew"
    ada.page.locator("[data-replay]").click()
    expect(ada.page.locator("game-replay.begun")).to_be_visible()
    assert ada.page.url.endswith(f"/matches/{match.pk}/")
    assert all_but_lost(bob) == all_but_lost(ada) == all_but_lost(cid) == onlooker.messages == []


def all_but_lost(sitter: Sitter) -> list[str]:
    """What a console said beside that there was no connection, also for a request that was under way."""
    lost = ("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK", "htmx:sendError", "htmx:afterRequest")
    return [message for message in sitter.messages if not any(text in message for text in lost)]


@pytest.mark.nightly
def test_a_duel_of_a_keyboard_and_a_phone(hall: Hall) -> None:
    match = table_of_people(ladder("edel-stein-reich-duel-people"), ["ada", "bob"])
    (ada,) = hall.sit(match, ["ada"])
    bob = hall.visitor(known("bob"), 1, viewport=PHONE, has_touch=True, is_mobile=True)
    bob.open(match)
    bob.play()
    for _ in range(15):
        question = ada.until_asked()
        keys = emails(question, question["default"])
        number = ada.page.evaluate(NUMBER)
        assert keys is not None, question
        for key in keys:
            assert ada.page.evaluate(NUMBER) == number, "nothing is sent by one key"
            ada.page.keyboard.press(key)
        ada.until_answered(number)
    ada.page.keyboard.press("Shift+?")
    expect(ada.page.get_by_role("dialog")).to_be_visible()
    ada.page.keyboard.press("Escape")
    ada.play()
    assert bob.play_by_hand(KINDS, bob.page.tap) >= {"action", "guess"}
    for sitter in (ada, bob):
        sitter.until_the_end()
        heard_all(sitter, match)
        assert sitter.messages == []
    assert bob.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_a_duel_with_a_timeout_and_a_return_to_the_seat(hall: Hall) -> None:
    match = table_of_people(ladder("edel-stein-reich-duel-people"), ["ada", "bob"], SHORT)
    ada, bob = hall.sit(match, ["ada", "bob"])
    ada.play()
    bob.until_asked()
    expect(bob.page.locator(".sitting-clock.late")).to_be_visible(timeout=180_000)
    expect(bob.page.locator("[data-alert]")).to_have_text("Your turn.")
    # a decision that is not answered is played, and after two of them a house bot sits there
    back = bob.page.locator(".sitting-back")
    expect(back).to_be_visible(timeout=180_000)
    assert PlayedMove.objects.filter(match=match, seat__index=bob.seat, default="absent").count() >= 2
    expect(ada.page.locator(".sitting-seats [data-here=substitute]")).to_have_count(1)
    back.locator("[data-do=return]").click()
    expect(back).to_be_hidden()
    assert LiveSeat.objects.get(table=match.pk, seat__index=bob.seat).returned
    bob.play()
    for sitter in (ada, bob):
        sitter.until_the_end()
        heard_all(sitter, match)
    assert not SeatResult.objects.filter(seat__match=match).exclude(forfeit="").exists()
    assert ada.messages == bob.messages == []


def test_three_people_play_die_weinhaendler_and_one_of_them_leaves_for_good(hall: Hall) -> None:
    match = table_of_people(ladder("die-weinhaendler-3-people"), ["ada", "bob", "cid"], SHORT)
    ada, bob, cid = hall.sit(match, ["ada", "bob", "cid"])
    for sitter in (ada, bob, cid):
        sitter.play()
    wait_until(lambda: PlayedMove.objects.filter(match=match).count() > 20, "the game has begun")
    cid.context.close()
    hall.contexts.remove(cid)
    expect(ada.page.locator(".sitting-seats [data-here=substitute]")).to_have_count(1, timeout=180_000)
    for sitter in (ada, bob):
        sitter.until_the_end()
        heard_all(sitter, match)
        assert sitter.messages == []
    wait_until(lambda: Match.objects.get(pk=match.pk).status in Match.ENDED, "the result is there")
    gone = SeatResult.objects.get(seat__match=match, seat__index=cid.seat)
    assert (gone.forfeit, gone.rank) == ("abandoned", 3)
    expect(ada.page.locator(".sitting-ranking li").last).to_contain_text("cid")
