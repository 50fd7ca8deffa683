"""What there is at a table beside playing: talk, giving up, ending it, claiming it, a guest who sits down at once."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import APIResponse, Route, expect

from ladder.live.actions import AGREED
from ladder.matchmaking import quick_pairing
from ladder.matchmaking.presence import note_here
from ladder.models import ChatReport, Ladder, LiveSeat, Match, Membership, PlayedMove, SeatResult
from tests.browser.hall import NUMBER, SHORT, TABLE, Hall, Sitter, table_of_people
from tests.browser.looker import Looker
from tests.browser.test_lobby import verified
from tests.build import staff
from tests.services.ports import slowness, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SOON_S = 5.0
"""So long after the site was opened a person plays."""

AMPLE_MS = 180_000
"""What one person does has come to the others by then, on a busy machine, too."""

FEW_MOVES = 8
"""After so many both of two people have played."""


def duel() -> Ladder:
    return Ladder.objects.get(slug="edel-stein-reich-duel-people")


def asked_first(match: Match, names: Sequence[str]) -> str:
    """Who of those at a table owes a decision now: who begins is drawn."""
    return names[LiveSeat.objects.filter(table=match.pk, owes=True).earliest("seat__index").seat.index]


def agree_to(sitter: Sitter, action: str) -> None:
    """Take an action with a confirmation dialog, and confirm it."""
    sitter.page.locator(f"[data-do={action}]").click()
    dialog = sitter.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.locator(".send").click()


def test_a_guest_plays_a_house_bot_within_five_seconds(hall: Hall) -> None:
    hall.visitor().page.goto("/")  # whatever a site does when it is asked first
    guest = hall.visitor()
    opened = time.monotonic()
    guest.page.goto("/")
    guest.page.locator(".now-form button").click()
    guest.page.wait_for_selector("sitting-table.begun")
    assert time.monotonic() - opened < SOON_S * slowness()
    for _ in range(6):
        question = guest.until_asked()
        assert guest.send(question["default"])["sent"]
    expect(guest.page.locator("[data-tab=talk]")).to_have_count(0)
    guest.page.locator("[data-do=resign]").click()
    shown = guest.page.locator("[data-resigning]:visible")
    expect(shown).to_have_count(1)
    seats = Match.objects.get().ladder.seats
    expect(shown).to_have_attribute("data-resigning", "ended" if seats == 2 else "aborted")
    guest.page.locator("dialog[open] button[value='']").click()
    stranger = hall.visitor()
    stranger.page.goto(guest.page.url)
    assert "/matches/" in stranger.page.url, "a seat is its guest's alone"
    assert guest.messages == stranger.messages == []


def test_two_guests_meet_by_a_link_one_resigns_and_they_play_again(hall: Hall) -> None:
    anna, bruno, stranger = hall.visitor(), hall.visitor(), hall.visitor()
    anna.page.goto("/play/")
    anna.page.locator("[data-game-form] #id_name").fill("Anna")
    anna.page.locator("#id_ladder").select_option("edel-stein-reich-duel-people")
    anna.page.locator("[data-create]").click()
    link = anna.page.locator("[data-link]").inner_text()
    bruno.page.goto(link)
    bruno.page.locator("#id_name").fill("Bruno")
    bruno.page.locator("#link .send").dblclick()
    for sitter, other in ((bruno, "Anna"), (anna, "Bruno")):
        expect(sitter.page).to_have_url(re.compile(r"/play/tables/\d+/"), timeout=AMPLE_MS)
        sitter.page.wait_for_selector("sitting-table.begun")
        expect(sitter.page.locator(".sitting-title")).to_contain_text(f"{other} (guest)")
        expect(sitter.page.locator("[data-tab=talk]")).to_have_count(0)
    match = Match.objects.get()
    assert LiveSeat.objects.filter(table=match.pk).values("guest").distinct().count() == 2
    stranger.page.goto(link)
    expect(stranger.page.locator("[data-note=started-without-you]")).to_be_visible()
    stranger.page.locator("#link .send").click()
    expect(stranger.page).to_have_url(re.compile(f"/matches/{match.pk}/"))
    bruno.page.locator("[data-do=resign]").click()
    expect(bruno.page.locator("[data-resigning]:visible")).to_have_attribute("data-resigning", "ended")
    bruno.page.locator("dialog[open] .send").click()
    expect(anna.page.locator(".sitting-end[data-won=true]")).to_be_visible(timeout=AMPLE_MS)
    expect(bruno.page.locator(".sitting-end[data-won=false]")).to_be_visible(timeout=AMPLE_MS)
    anna.page.locator("[data-answer=offer]").click()
    bruno.page.locator("[data-answer=accept]").click(timeout=AMPLE_MS)
    for sitter in (bruno, anna):
        expect(sitter.page).to_have_url(re.compile(rf"/play/tables/(?!{match.pk}/)\d+/"), timeout=AMPLE_MS)
        sitter.page.wait_for_selector("sitting-table.begun")
    assert anna.messages == bruno.messages == stranger.messages == []


def test_players_talk_and_a_line_is_reported_and_hidden(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    ada, bob = hall.sit(match, ["ada", "bob"])
    for sitter in (ada, bob):
        sitter.page.locator("[data-tab=talk]").click()
    expect(ada.page.locator("#say")).to_have_css("border-top-style", "solid")
    ada.page.locator("#say").fill("Buy <b>cheap</b> gems")
    ada.page.keyboard.press("Enter")
    line = bob.page.locator("[data-talk-lines] li")
    expect(line).to_contain_text("Buy <b>cheap</b> gems")
    expect(ada.page.locator("[data-talk-lines] li")).to_have_count(1)
    expect(ada.page.locator("[data-report]")).to_have_count(0)
    line.locator("[data-report]").click()
    expect(line.locator("[data-report]")).to_have_count(0)
    assert ChatReport.objects.get().by == bob.user
    bob.page.get_by_role("button", name="Good luck").click()
    expect(ada.page.locator("[data-talk-lines] li").last).to_contain_text("Good luck")
    assert ada.messages == bob.messages == []


def test_lines_that_were_read_are_not_unread_after_a_reload_and_own_ones_never(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    ada, bob = hall.sit(match, ["ada", "bob"])
    unread = ada.page.locator("[data-unread]")
    for sitter in (ada, bob):
        sitter.page.locator("[data-tab=talk]").click()
        sitter.page.get_by_role("button", name="Good luck").click()
        sitter.page.locator("[data-tab=moves]").click()
    expect(unread).to_have_text(" 1", timeout=AMPLE_MS)
    ada.page.locator("[data-tab=talk]").click()
    expect(unread).to_have_text("")
    ada.open(match)
    expect(ada.page.locator("[data-talk-lines] li")).to_have_count(2, timeout=AMPLE_MS)
    expect(unread).to_have_text("")
    bob.page.locator("[data-tab=talk]").click()
    bob.page.get_by_role("button", name="Thanks").click()
    expect(unread).to_have_text(" 1", timeout=AMPLE_MS)


def test_a_chat_message_hidden_by_staff_disappears_from_open_tables(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    ada, bob = hall.sit(match, ["ada", "bob"])
    for sitter in (ada, bob):
        sitter.page.locator("[data-tab=talk]").click()
    for text in ("Have fun", "You fool"):
        ada.page.locator("#say").fill(text)
        ada.page.keyboard.press("Enter")
        expect(ada.page.locator("#say")).to_have_value("", timeout=AMPLE_MS)
        expect(bob.page.locator("[data-talk-lines] li").last).to_contain_text(text, timeout=AMPLE_MS)
    bob.page.locator("[data-talk-lines] li").last.locator("[data-report]").click()
    expect(bob.page.locator("[data-talk-lines] li").last.locator("[data-report]")).to_have_count(0, timeout=AMPLE_MS)
    eve = hall.visitor(staff("eve"))
    eve.page.goto("/staff/chat/")
    expect(eve.page.locator("main")).to_contain_text("You fool")
    eve.page.locator("button[name=hide]").click()
    expect(eve.page.locator("button[name=hide]")).to_have_count(0)
    for sitter in (ada, bob):
        lines = sitter.page.locator("[data-talk-lines] li")
        expect(lines).to_have_count(1, timeout=AMPLE_MS)
        expect(lines).to_contain_text("Have fun")
    bob.open(match)
    bob.page.locator("[data-tab=talk]").click()
    expect(bob.page.locator("[data-talk-lines] li")).to_have_text(re.compile("Have fun"), timeout=AMPLE_MS)
    assert ada.messages == bob.messages == eve.messages == []


def two_who_look(hall: Hall) -> Sitter:
    """The browser of ada. She and bob look for a rated game, and they are not paired yet."""
    both = [verified(name) for name in ("ada", "bob")]
    note_here([user.pk for user in both])
    for user in both:
        quick_pairing.look_for(user, duel())
    return hall.visitor(both[0])


def test_a_player_is_taken_to_a_game_that_begins_before_the_lobby_listens(hall: Hall) -> None:
    ada = two_who_look(hall)

    def paired(route: Route) -> None:
        assert quick_pairing.pair() == 1
        route.continue_()

    ada.page.route("**/lobby/stream*", paired, times=1)
    ada.page.goto("/play/")
    expect(ada.page).to_have_url(re.compile(r"/play/tables/\d+/"), timeout=AMPLE_MS)
    assert ada.messages == []


def test_a_player_is_taken_to_a_game_while_no_events_come(hall: Hall) -> None:
    ada = two_who_look(hall)
    ada.page.route("**/lobby/stream*", lambda route: route.abort())
    ada.page.goto("/play/")
    expect(ada.page.locator("[data-note=searching]")).to_be_visible()
    assert quick_pairing.pair() == 1
    expect(ada.page).to_have_url(re.compile(r"/play/tables/\d+/"), timeout=AMPLE_MS)


def test_two_people_agree_to_abort_a_rated_game(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"], rated=True)
    ada, bob = hall.sit(match, ["ada", "bob"])
    first = ada if asked_first(match, ["ada", "bob"]) == "ada" else bob
    assert first.send(first.until_asked()["default"])["sent"]
    agree_to(ada, "abort")
    expect(bob.page.locator(".sitting-seats .aborts")).to_have_count(1, timeout=AMPLE_MS)
    expect(ada.page.locator("[data-do=abort]")).to_be_hidden(timeout=AMPLE_MS)
    assert Match.objects.get(pk=match.pk).status == Match.Status.RUNNING
    agree_to(bob, "abort")
    for sitter in (ada, bob):
        expect(sitter.page.locator(".sitting-end")).to_be_visible(timeout=AMPLE_MS)
        expect(sitter.page.locator(".sitting-end[data-status=aborted]")).to_contain_text(AGREED)
    assert Match.objects.get(pk=match.pk).status == Match.Status.ABORTED
    assert not SeatResult.objects.filter(seat__match=match).exists()
    assert not Membership.objects.filter(ladder=match.ladder, games__gt=0).exists()
    assert ada.messages == bob.messages == []


def test_a_rematch_takes_both_to_a_new_game(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    ada, bob = hall.sit(match, ["ada", "bob"])
    agree_to(bob, "resign")
    place = ada.page.url
    ada.page.locator("[data-answer=offer]").click()
    expect(bob.page.locator("[data-answer=accept]")).to_be_visible(timeout=AMPLE_MS)
    ada.page.locator("[data-answer=withdraw]").click()
    expect(bob.page.locator(".sitting-rematch[data-state=withdrawn]")).to_be_visible(timeout=AMPLE_MS)
    bob.page.locator("[data-answer=offer]").click()
    ada.page.locator("[data-answer=decline]").click(timeout=AMPLE_MS)
    expect(bob.page.locator(".sitting-rematch[data-state=declined]")).to_contain_text("ada", timeout=AMPLE_MS)
    assert (ada.page.url, bob.page.url) == (place, place)
    ada.page.locator("[data-answer=offer]").click()
    bob.page.locator("[data-answer=accept]").click(timeout=AMPLE_MS)
    for sitter in (bob, ada):
        expect(sitter.page).to_have_url(re.compile(rf"/play/tables/(?!{match.pk}/)\d+/"), timeout=AMPLE_MS)
        sitter.page.wait_for_selector("sitting-table.begun")
        sitter.play()
    again = Match.objects.latest("pk")
    assert ada.page.url == bob.page.url
    assert ada.page.url.endswith(f"/play/tables/{again.pk}/")
    assert again.pk != match.pk
    wait_until(lambda: PlayedMove.objects.filter(match=again).count() > FEW_MOVES, "both play")
    assert set(PlayedMove.objects.filter(match=again).values_list("seat__index", flat=True)) == {0, 1}
    assert ada.messages == bob.messages == []


def test_a_casual_game_is_aborted_and_another_one_resigned(hall: Hall) -> None:
    first, second = (table_of_people(duel(), ["ada", "bob"]) for _ in range(2))
    ada, bob = hall.sit(first, ["ada", "bob"])
    agree_to(ada, "abort")
    for sitter in (ada, bob):
        expect(sitter.page.locator(".sitting-end[data-status=aborted]")).to_be_visible()
        sitter.open(second)
    agree_to(bob, "resign")
    expect(ada.page.locator(".sitting-end[data-won=true]")).to_be_visible(timeout=60_000)
    expect(bob.page.locator(".sitting-ranking li").last).to_contain_text("resigned")
    for sitter in (ada, bob):
        expect(sitter.page.locator(".sitting-ranking")).not_to_contain_text("million")
        expect(sitter.page.locator(".scored")).to_be_hidden()
    expect(bob.page.locator("[data-answer=offer]")).to_be_visible()
    bob.page.locator("[data-replay]").click()
    expect(bob.page).to_have_url(re.compile(f"/matches/{second.pk}/"))
    bob.page.locator("game-replay.begun").press("End")
    expect(bob.page.locator("[data-place]")).to_contain_text("Phase 1")
    expect(bob.page.locator("game-replay .scored")).to_be_hidden()
    assert ada.messages == bob.messages == []


def test_the_last_player_at_the_table_claims_the_game(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    ada, bob = hall.sit(match, ["ada", "bob"])
    bob.context.close()
    hall.contexts.remove(bob)
    long_ago = timezone.now() - timedelta(minutes=3)
    expect(ada.page.locator("[data-do=claim]")).to_be_hidden()

    def away() -> None:
        LiveSeat.objects.filter(table=match.pk, seat__index=bob.seat).update(seen_at=long_ago, left_at=None)

    away()
    expect(ada.page.locator(".sitting-seats [data-here=away]")).to_have_count(1, timeout=60_000)
    away()
    agree_to(ada, "claim")
    expect(ada.page.locator(".sitting-end[data-won=true]")).to_be_visible(timeout=60_000)
    assert ada.messages == []


def leave(hall: Hall, sitter: Sitter, match: Match) -> None:
    """Close the browser of someone who is asked, and let them be offline for a minute, but not for a claim."""
    sitter.context.close()
    hall.contexts.remove(sitter)
    gone = timezone.now() - timedelta(seconds=35)
    LiveSeat.objects.filter(table=match.pk, seat__index=sitter.seat).update(seen_at=gone, left_at=None)


def test_resigning_after_the_opponent_left_wins_as_announced(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"], SHORT, rated=True)
    first = asked_first(match, ["ada", "bob"])
    gone, stays = hall.sit(match, [first, "bob" if first == "ada" else "ada"])
    gone.until_asked()
    leave(hall, gone, match)
    expect(stays.page.locator(".sitting-seats [data-here=substitute]")).to_have_count(1, timeout=AMPLE_MS)
    stays.page.locator("[data-do=resign]").click()
    shown = stays.page.locator("[data-resigning]:visible")
    expect(shown).to_have_count(1)
    expect(shown).to_have_attribute("data-resigning", "won")
    stays.page.locator("dialog[open] .send").click()
    expect(stays.page.locator(".sitting-end[data-won=true]")).to_be_visible(timeout=AMPLE_MS)
    expect(stays.page.locator(".sitting-ranking li").first.locator("b")).to_have_text("You")
    assert [result.rank for result in SeatResult.objects.order_by("rank")] == [1, 2]
    assert SeatResult.objects.get(rank=1).seat.index == stays.seat
    assert stays.messages == []


def test_of_two_players_who_leave_the_later_one_sees_the_win(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"], SHORT, rated=True)
    first = asked_first(match, ["ada", "bob"])
    gone, later = hall.sit(match, [first, "bob" if first == "ada" else "ada"])
    gone.until_asked()
    leave(hall, gone, match)
    question = later.until_asked(seconds=180)
    assert later.send(question["default"])["sent"]
    expect(later.page.locator(".sitting-end[data-won=true]")).to_be_visible(timeout=AMPLE_MS)
    expect(later.page.locator(".sitting-ranking li")).to_have_count(2)
    expect(later.page.locator(".sitting-ranking")).not_to_contain_text("million")
    assert set(SeatResult.objects.values_list("forfeit", "rank")) == {("abandoned", 1), ("abandoned", 2)}


def test_a_draft_outlives_a_page_that_is_loaded_again(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    (ada,) = hall.sit(match, [asked_first(match, ["ada", "bob"])])
    ada.until_asked("action")
    ada.page.locator('.compose [data-choice="event"]').click()
    assert not PlayedMove.objects.filter(match=match).exists(), "nothing is sent by choosing"
    ada.page.reload()
    ada.page.wait_for_selector("sitting-table.begun")
    ada.until_asked("action")
    ada.page.locator('.compose [data-send="main"]').click()
    ada.page.wait_for_function("() => document.querySelector('sitting-table').decision.number === null")
    assert PlayedMove.objects.get(match=match).move == "event"


def test_the_next_move_can_be_sent_before_the_answer_to_the_last_one_has_come(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    ada, bob = hall.sit(match, ["ada", "bob"])
    held: list[tuple[Route, APIResponse]] = []
    ada.page.route("**/decisions/*", lambda route: held.append((route, route.fetch())), times=1)
    bob.play()
    ada.until_asked()
    first = ada.page.evaluate(NUMBER)
    ada.page.evaluate(f"() => {{ {TABLE}.decision.send({first}, {TABLE}.present.question.default); }}")
    ada.page.wait_for_function(f"() => {NUMBER} !== null && {NUMBER} !== {first}")
    assert ada.send(ada.until_asked()["default"])["sent"]
    for route, response in held:
        route.fulfill(response=response)
    assert len(held) == 1
    assert ada.send(ada.until_asked()["default"])["sent"], "the late answer disturbs nothing"
    assert ada.messages == []


HIDDEN = """() => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
"""As if another tab was looked at."""


def test_a_player_in_another_tab_is_notified(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    (ada,) = hall.sit(match, [asked_first(match, ["ada", "bob"])])
    ada.until_asked()
    expect(ada.page.locator("[data-alert]")).to_have_text("Your turn.")
    own = ada.page.title()
    ada.page.evaluate(HIDDEN)
    expect(ada.page).to_have_title("Your turn")
    expect(ada.page).to_have_title(own)
    expect(ada.page).to_have_title("Your turn")
    ada.page.emulate_media(reduced_motion="reduce")
    ada.page.evaluate(HIDDEN)
    expect(ada.page).to_have_title("• Your turn")
    ada.page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    expect(ada.page).to_have_title(own)
    sound = ada.page.locator("[data-do=sound]")
    expect(sound).to_have_attribute("aria-pressed", "true")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "false")
    ada.open(match)
    expect(sound).to_have_attribute("aria-pressed", "false")
    assert ada.messages == []


def test_the_page_of_a_table_fits_its_window_and_axe_finds_nothing(hall: Hall) -> None:
    for slug in ("edel-stein-reich-4-people", "edel-stein-reich-duel-people", "die-weinhaendler-4-people"):
        ladder = Ladder.objects.get(slug=slug)
        names = ["ada", "bob", "cid", "dora"][: ladder.seats]
        match = table_of_people(ladder, names)
        (ada,) = hall.sit(match, [asked_first(match, names)])
        looker = Looker(ada.page, "sitting")
        looker.look(slug)
        ada.send(ada.until_asked()["default"])
        looker.look(f"{slug}-waiting")
        assert (looker.faults, ada.messages) == ([], [])
