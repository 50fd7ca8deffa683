"""Long polls and views, asked as programs ask, through the test's own client: nobody waits here."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import Client

from bots.models import Bot, RemoteBot
from bots.remote import here
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope
from ladder.live.end import finish
from ladder.models import Ladder, LiveSeat, Match
from tests.esr_platform.api.conftest import document, problem
from tests.ladder.live.play import at_random, game_of, play_on, position, post, remote_bots

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(db: None) -> Match:
    return game_of("edel-stein-reich-duel", 2)


def bots_at(match: Match) -> list[Bot]:
    return [seat.version.bot for seat in match.seats.select_related("version__bot__owner").order_by("index")]


def headers_of(bot: Bot, *scopes: Scope) -> dict[str, str]:
    """With a token of the bot alone, or of its owner where scopes are named."""
    secret = tokens.issue(bot.owner, "test", scopes or [Scope.PLAY], None, None if scopes else bot)[1]  # type: ignore[arg-type]
    return {"Authorization": f"Bearer {secret}"}


def get(address: str, bot: Bot | None = None, *scopes: Scope) -> HttpResponse:
    """As ``headers_of`` says; without a bot, as a stranger."""
    return Client().get(f"/api/v1/{address}", headers=headers_of(bot, *scopes) if bot else {})


def test_a_long_poll_has_the_decision_and_a_hello(match: Match) -> None:
    bots, seat = bots_at(match), position(match).state().pending[0]
    for address in ("bot/decision?wait=0", f"matches/{match.pk}/decision?wait=0"):
        event = document(get(address, bots[seat]))
        assert (event["type"], event["game"], event["decision"], event["log_from"]) == ("decide", match.pk, 1, 0)
        assert (event["message"]["type"], event["hello"]["type"], event["hello"]["seat"]) == ("decide", "hello", seat)
        assert get(address, bots[1 - seat]).status_code == 204, "nobody asked the other one"


def test_a_poller_is_here_with_its_first_question(match: Match) -> None:
    bot = bots_at(match)[0]
    RemoteBot.objects.filter(pk=bot.pk).update(seen_at=None, here_since=None)
    get("bot/decision?wait=0", bot)
    assert here().filter(pk=bot.pk).exists()


@pytest.mark.parametrize("address", ["bot/decision?wait=0", "matches/{}/decision?wait=0", "matches/{}/view"])
def test_a_bot_has_received_a_game_once_it_has_seen_anything_of_it(match: Match, address: str) -> None:
    seat = position(match).state().pending[0]
    get(address.format(match.pk))
    get("bot/decision?wait=0", bots_at(match)[1 - seat])  # which is not asked yet
    assert not LiveSeat.objects.filter(starts__gt=0).exists()
    get(address.format(match.pk), bots_at(match)[seat])
    assert [live_seat.seat.index for live_seat in LiveSeat.objects.filter(starts=1)] == [seat]


def test_a_poller_may_say_how_much_of_the_log_it_has(match: Match) -> None:
    play_on(match, at_random(1), 6)
    bots, state = bots_at(match), position(match).state(journal=True)
    seat = state.pending[0]
    whole = document(get(f"matches/{match.pk}/decision?wait=0", bots[seat]))["message"]["log"]
    assert whole == position(match).shown_to(seat).entries(seat)
    rest = document(get(f"matches/{match.pk}/decision?wait=0&log=5", bots[seat]))
    assert (rest["log_from"], rest["message"]["log"]) == (5, whole[5:])


def test_a_long_poll_ends_with_the_game(match: Match) -> None:
    play_on(match, at_random(2))
    assert finish(match.pk)
    event = document(get(f"matches/{match.pk}/decision?wait=0", bots_at(match)[0]))
    assert (event["type"], event["status"]) == ("game_end", "finished")
    assert event["message"]["outcome"] == position(match).state().outcome
    assert get("bot/decision?wait=0", bots_at(match)[0]).status_code == 204


def test_numbers_are_numbers_and_games_are_ones_own(match: Match) -> None:
    bot = bots_at(match)[0]
    for wrong in ("wait=26", "wait=-1", "wait=x", "wait=1e3", "log=-1", "log=99999999999999999999", "wait=²"):
        problem(get(f"matches/{match.pk}/decision?{wrong}", bot), 400, "invalid")
    (stranger,) = remote_bots(1, "stranger")
    problem(get(f"matches/{match.pk}/decision?wait=0", stranger), 404, "not_found")
    problem(get("matches/999999/decision?wait=0", bot), 404, "not_found")
    problem(get("bot/decision?wait=0"), 401, "not_authenticated")
    problem(get("bot/decision?wait=0", bot, Scope.READ), 403, "permission_denied")


def test_numbers_that_no_row_has_and_names_that_no_database_takes_are_of_nothing(match: Match) -> None:
    bot = bots_at(match)[0]
    for number in (2**63, 2**64, 10**30):
        for address in ("view", "stream", "decision?wait=0"):
            problem(get(f"matches/{number}/{address}", bot), 404, "not_found")
        problem(Client().post(f"/api/v1/matches/{number}/decisions/1", headers=headers_of(bot)), 404, "not_found")
    for address in ("bot?", "bot/decision?wait=0&", "bot/stream?"):
        problem(get(f"{address}bot=a%00b", bot, Scope.PLAY), 404, "not_found")
    assert document(get(f"matches/{match.pk}/view?bot=a%00b", bot, Scope.PLAY))["seat"] is None


def test_a_seat_sees_its_own_view_and_everybody_else_one_a_round_behind(match: Match) -> None:
    bots, address = bots_at(match), f"matches/{match.pk}/view"
    for stranger in (get(address), get(address, remote_bots(1, "stranger")[0])):
        view = document(stranger)
        assert (view["running"], view["seat"], view["round"], view["view"], view["log"]) == (
            *(True, None, None, None),
            [],
        )
    while position(match).state().rounds_begun < 3:
        play_on(match, at_random(3), 1)
    shown = document(get(address))
    assert shown["round"] == shown["view"]["round"] == position(match).state().rounds_begun - 1
    assert document(get(address, bots[0], Scope.READ)) == shown, "a token that cannot play opens no seat"
    for seat, bot in enumerate(bots):
        own_view = document(get(address, bot))
        state = position(match).shown_to(seat)
        assert (own_view["seat"], own_view["view"], own_view["log"]) == (seat, state.view(seat), state.entries(seat))
        assert len(own_view["log"]) > len(shown["log"])


def test_when_a_game_has_ended_everybody_sees_all_of_it(match: Match) -> None:
    play_on(match, at_random(4))
    before = document(get(f"matches/{match.pk}/view"))
    assert before["running"]
    assert before["log"] != (entries := position(match).state(journal=True).entries(None)), "until the result is there"
    assert finish(match.pk)
    after = document(get(f"matches/{match.pk}/view"))
    assert (after["running"], after["log"]) == (False, entries)


def test_a_private_ladders_game_is_there_for_its_seats_alone(match: Match) -> None:
    Ladder.objects.filter(pk=match.ladder_id).update(private=True, by_invitation=True)
    for address in (f"matches/{match.pk}/view", f"matches/{match.pk}/stream"):
        problem(get(address), 404, "not_found")
        problem(get(address, remote_bots(1, address[-4:])[0]), 404, "not_found")
    assert document(get(f"matches/{match.pk}/view", bots_at(match)[0]))["seat"] == 0


def test_who_has_two_bots_at_a_table_says_which(match: Match) -> None:
    bots = bots_at(match)
    Bot.objects.filter(pk=bots[1].pk).update(owner=bots[0].owner)
    address = f"matches/{match.pk}/view"
    assert bots[1].slug in problem(get(address, bots[0], Scope.PLAY), 400, "bot_missing")["detail"]
    assert document(get(f"{address}?bot={bots[1].slug}", bots[0], Scope.PLAY))["seat"] == 1
    assert document(get(f"{address}?bot={bots[1].slug}", bots[0]))["seat"] is None, "a token of another bot alone"


def test_a_decision_that_is_not_told_yet_is_nobodys(match: Match) -> None:
    seat = position(match).state().pending[0]
    live_seat = position(match).live_seats[seat]
    live_seat.due_at = live_seat.deadline
    live_seat.save()
    assert get("bot/decision?wait=0", bots_at(match)[seat]).status_code == 204
    assert get(f"matches/{match.pk}/decision?wait=0", bots_at(match)[seat]).status_code == 204
    assert post(match, seat, 1, "anything").verdict == "not_asked"
