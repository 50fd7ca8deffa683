"""What people send from a browser: what each answer is told, and that nothing moves by what is none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.http import HttpResponse
from django.utils import timezone
from pytest_django import Settings

from bots.owners import guest_player, player_of
from bots.protocol import MAX_ANSWER_BYTES
from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import guest_hash
from esr_platform.api.http import Refusal
from esr_platform.api.streams.threads import MOST_WAITING, ClientQueues
from ladder.live.start import Guest, open_table
from ladder.matches.blocks import BlockPlayer
from ladder.models import Attempt, ChatLine, ChatReport, LiveSeat, Match, PlayedMove
from tests.esr_platform.api.conftest import document, problem
from tests.esr_platform.api.streams.people import Tab, people, session_of, table_of_people
from tests.ladder.live.play import CALM, live_ladder, position
from tests.pseudo_locale import pseudo

pytestmark = pytest.mark.django_db


class Sitter:
    """A person at a table, in a browser."""

    def __init__(self, user: User, match: Match) -> None:
        self.match, self.tab = match, Tab(user)

    def answer(self, decision: int, body: Any, **more: Any) -> HttpResponse:
        return self.tab.post(f"matches/{self.match.pk}/decisions/{decision}", body, **more)

    def act(self, name: str, body: Any = None) -> HttpResponse:
        return self.tab.post(f"matches/{self.match.pk}/seat/{name}", body)


@pytest.fixture
def users(db: None) -> list[User]:
    return people(2)


@pytest.fixture
def match(users: list[User]) -> Match:
    """A casual table of two, where everybody is here; whose turn it is was told a moment ago."""
    table = table_of_people("edel-stein-reich-duel", users)
    now = timezone.now()
    LiveSeat.objects.filter(table=table.pk).update(seen_at=now + timedelta(minutes=10))
    LiveSeat.objects.filter(table=table.pk, owes=True).update(due_at=F("due_at") - timedelta(seconds=1))
    Attempt.objects.filter(match=table).update(heartbeat_at=now + timedelta(minutes=10))
    return table


@pytest.fixture
def sitters(match: Match, users: list[User]) -> list[Sitter]:
    """Who is to move, and the other one."""
    seat = position(match).state().pending[0]
    return [Sitter(users[seat], match), Sitter(users[1 - seat], match)]


def question(match: Match) -> dict[str, Any]:
    state = position(match).state()
    decision: dict[str, Any] = state.decision(state.pending[0])
    return decision


def unmoved(match: Match, act: Callable[[], HttpResponse], status: int, code: str) -> dict[str, Any]:
    """The problem that ``act`` is answered with; nothing at the table has changed."""
    before = list(PlayedMove.objects.values()), list(LiveSeat.objects.values())
    refusal = problem(act(), status, code)
    assert (list(PlayedMove.objects.values()), list(LiveSeat.objects.values())) == before
    return refusal


def test_a_person_answers_with_the_session_and_the_same_again_is_the_same(match: Match, sitters: list[Sitter]) -> None:
    legal = question(match)["legal"]
    answers = [sitters[0].answer(1, {"move": legal[1], "id": 1}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert document(answers[0]) == document(answers[1]) == {"game": match.pk, "decision": 1, "played": legal[1]}
    assert unmoved(match, lambda: sitters[0].answer(1, {"move": legal[0]}), 409, "answered")["played"] == legal[1]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"move": "nothing of the kind"}', "illegal"),
        (b"no json", "malformed"),
        (b"", "malformed"),
        (b'{"move": "' + b"x" * MAX_ANSWER_BYTES + b'"}', "too_long"),
    ],
)
def test_what_is_illegal_costs_nothing_and_may_be_sent_better(
    match: Match, sitters: list[Sitter], body: bytes, code: str
) -> None:
    asked = question(match)
    refusal = unmoved(match, lambda: sitters[0].answer(1, body), 422, code)
    assert refusal["question"]["legal"] == asked["legal"]
    assert "played" not in refusal
    assert "strike" not in refusal["detail"]
    assert sitters[0].answer(1, {"move": asked["legal"][0]}).status_code == 200


def test_nobody_answers_for_another_seat_or_what_was_never_asked(match: Match, sitters: list[Sitter]) -> None:
    move = {"move": question(match)["default"]}
    unmoved(match, lambda: sitters[1].answer(1, move), 404, "not_asked")
    for guess in (0, 2, 99, 2**40):
        unmoved(match, lambda guess=guess: sitters[0].answer(guess, move), 404, "not_asked")  # type: ignore[misc]
    unmoved(match, lambda: sitters[0].answer(1, {**move, "id": 2}), 400, "wrong_id")
    (stranger,) = people(1, "sid")
    unmoved(match, lambda: Sitter(stranger, match).answer(1, move), 404, "not_found")
    guest = Tab(said={"guest": "a secret"})
    unmoved(match, lambda: guest.post(f"matches/{match.pk}/decisions/1", move), 404, "not_found")


def test_a_session_that_was_left_moves_nothing(match: Match, sitters: list[Sitter]) -> None:
    move = {"move": question(match)["default"]}
    sitters[0].tab.sign_out()
    unmoved(match, lambda: sitters[0].answer(1, move), 401, "authentication_failed")
    for act in ("resign", "abort", "claim", "return", "rematch", "chat", "report"):
        sitters[0].tab.client.cookies["sessionid"] = sitters[0].tab.session
        unmoved(match, lambda act=act: sitters[0].act(act, {}), 401, "authentication_failed")  # type: ignore[misc]
    unmoved(match, lambda: Tab().post(f"matches/{match.pk}/decisions/1", move), 401, "not_authenticated")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-CSRFToken": ""}, 403),
        ({"X-CSRFToken": "x" * 32}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://testserver"}, 200),
    ],
)
def test_what_another_site_could_have_sent_is_refused(
    match: Match, sitters: list[Sitter], headers: dict[str, str], status: int, settings: Settings
) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    move = {"move": question(match)["default"]}
    before = PlayedMove.objects.count()
    assert sitters[0].answer(1, move, **headers).status_code == status
    assert (PlayedMove.objects.count() > before) == (status == 200)
    if status != 200:
        problem(sitters[0].tab.post(f"matches/{match.pk}/seat/resign", **headers), 403, "permission_denied")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_forms_are_no_answers(match: Match, sitters: list[Sitter], kind: str) -> None:
    body = json.dumps({"move": question(match)["default"]}).encode()
    unmoved(match, lambda: sitters[0].answer(1, body, kind=kind), 415, "unsupported_media_type")


def test_a_browser_sends_so_much_a_minute_and_programs_more(
    match: Match, sitters: list[Sitter], settings: Settings
) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "table": 3}
    statuses = [sitters[0].answer(1, {"move": "nothing"}).status_code for _ in range(5)]
    assert statuses == [422] * 3 + [429] * 2
    assert sitters[0].act("resign").status_code == 429
    assert sitters[1].answer(1, {"move": "nothing"}).status_code == 404, "the other one may"


def test_one_browser_is_heard_one_answer_at_a_time() -> None:
    turns, going, most = ClientQueues(), [0], [0]

    async def send() -> int:
        try:
            async with turns.of("mia"):
                going[0] += 1
                most[0] = max(most[0], going[0])
                await asyncio.sleep(0)
                going[0] -= 1
        except Refusal as refusal:
            return int(refusal.status_code)
        return 200

    async def all_at_once() -> list[int]:
        return list(await asyncio.gather(*(send() for _ in range(MOST_WAITING + 4))))

    assert asyncio.run(all_at_once()) == [200] * (MOST_WAITING + 1) + [429] * 3
    assert most == [1]
    assert asyncio.run(send()) == 200


def test_resigning_ends_a_game_of_two(match: Match, sitters: list[Sitter]) -> None:
    problem(sitters[0].act("claim"), 422, "no_claim")
    problem(sitters[0].act("return"), 422, "already_seated")
    assert document(sitters[0].act("resign"))["game"] == match.pk
    assert document(sitters[0].act("resign"))["game"] == match.pk, "who lost the answer asks again"
    assert LiveSeat.objects.exclude(forfeit="").get().forfeit == "resign"
    problem(sitters[1].act("resign"), 422, "game_over")


def test_a_casual_game_is_aborted_by_one_before_its_second_round(match: Match, sitters: list[Sitter]) -> None:
    assert sitters[1].act("abort").status_code == 200
    match.refresh_from_db()
    assert match.status == Match.Status.ABORTED
    problem(sitters[0].act("abort"), 422, "game_over")


def test_players_talk_and_report(match: Match, sitters: list[Sitter]) -> None:
    line = document(sitters[0].act("chat", {"text": "  Hello,   you "}))["line"]
    assert line["text"] == "Hello, you"
    assert document(sitters[1].act("chat", {"preset": "good-game"}))["line"]["preset"] == "good-game"
    assert document(sitters[1].act("report", {"line": line["id"]}))["line"] == line["id"]
    assert ChatReport.objects.get().line_id == line["id"]
    for body in ({}, {"text": "a", "preset": "thanks"}, {"text": 3}):
        problem(sitters[0].act("chat", body), 422, "no_message")
    problem(sitters[0].act("chat", {"preset": "no such"}), 422, "unknown_preset")
    problem(sitters[0].act("chat", {"text": "x" * 301}), 422, "wrong_length")
    for body in ({}, {"line": True}, {"line": -1}, {"line": 2**70}, {"line": 99_999}):
        problem(sitters[1].act("report", body), 422, "no_line")
    for body in (b"[]", b"nothing", b'"x"', b"{" + b" " * 5000 + b"}"):
        problem(sitters[0].act("chat", body), 400, "invalid")
    assert ChatLine.objects.count() == 2


def test_refusals_are_in_the_language_of_the_reader(match: Match, sitters: list[Sitter], pseudo_language: str) -> None:
    english = problem(sitters[0].act("claim"), 422, "no_claim")["detail"]
    details = {}
    for code in ("xx", pseudo_language):
        sitters[0].tab.client.cookies["django_language"] = code
        details[code] = problem(sitters[0].act("claim"), 422, "no_claim")["detail"]
    assert details == {"xx": english, pseudo_language: pseudo(english)}


def test_nobody_plays_on_with_a_session_of_somebody_who_is_suspended(match: Match, sitters: list[Sitter]) -> None:
    User.objects.update(is_active=False)
    unmoved(match, lambda: sitters[0].answer(1, {"move": "x"}), 401, "authentication_failed")
    assert session_of(None)


def test_a_guest_plays_by_the_secret_of_the_session_and_says_nothing(users: list[User]) -> None:
    ladder = live_ladder("edel-stein-reich-duel", 2, "people")
    players = [BlockPlayer(guest_player(), None), BlockPlayer(player_of(users[0]), None)]
    match = open_table(ladder, players, rated=False, limits=CALM, guests={0: Guest(guest_hash("a secret"), "")})
    guest, other = Tab(said={"guest": "a secret"}), Tab(said={"guest": "another secret"})
    problem(guest.post(f"matches/{match.pk}/seat/claim"), 422, "no_claim")
    problem(guest.post(f"matches/{match.pk}/seat/chat", {"preset": "thanks"}), 422, "guest")
    problem(other.post(f"matches/{match.pk}/seat/abort"), 404, "not_found")
    assert document(guest.post(f"matches/{match.pk}/seat/abort"))["seat"] == 0
    match.refresh_from_db()
    assert match.status == Match.Status.ABORTED
