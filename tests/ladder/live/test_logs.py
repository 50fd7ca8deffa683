"""Owners read of live games what they read of every other: what their bots were asked, what they said, and when."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from pytest_django import Settings

from bots.cli.records import rebuild
from bots.models import Bot
from bots.protocol import Limits
from bots.sandbox import SandboxLauncher
from games.rules import Document
from ladder.exports.documents import record_of
from ladder.live.answers import answer
from ladder.live.end import finish
from ladder.matches.logs import log_of
from ladder.models import Match, Membership, PlayedMove, SeatLog
from tests.build import person, uploaded
from tests.ladder.live.hosted import DUEL, Fakes, default, house_bots, open_ladder, play_on
from tests.ladder.live.play import asked, at_random, bot_at, game_of, pass_time, table_of
from tests.ladder.live.play import play_on as play_remotely

pytestmark = pytest.mark.usefixtures("house")

CHATTY = b"""\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    if message["type"] == "decide" and message["id"] == 3:
        print("thinking of 3", file=sys.stderr, flush=True)
        print('{"id": 3, "move": "nonsense \\u00e9"}', flush=True)
    elif message["type"] == "decide":
        print(json.dumps({"id": message["id"], "move": message["decision"]["default"]}), flush=True)
"""


def with_a_house_bot(bot: Bot, limits: Limits | None = None) -> Match:
    """A rated live game of somebody's bot, in seat 0, with one of the house."""
    ladder = open_ladder()
    Membership.objects.get_or_create(ladder=ladder, bot=bot)
    return table_of(ladder, [bot, *house_bots(ladder, "greedy")], limits=limits or Limits())


def finished(match: Match) -> Match:
    assert finish(match.pk)
    return Match.objects.select_related("ladder", "block").get(pk=match.pk)


def test_the_owner_of_an_uploaded_bot_can_rebuild_every_message_that_it_was_sent() -> None:
    messages: list[Document] = []

    def attentive(message: Document) -> Any:
        messages.append(message)
        return default(message)

    ada = person("ada")
    match = with_a_house_bot(uploaded(ada))
    play_on(match, Fakes(attentive))
    match = finished(match)
    log, record = log_of(match, 0, ada), record_of(match)
    assert log is not None and record is not None
    of_seat = [message for message in messages if message.get("seat", message.get("decision", {}).get("seat")) == 0]
    sent = list(zip(of_seat[::2], of_seat[1::2], strict=True))
    assert len(log["starts"]) == len(log["decisions"]) == len(sent) > 10
    for (hello, decide), decision in zip(sent, log["decisions"], strict=True):
        replay = rebuild(record, decision["ply"], log)
        assert replay.messages[-1]["clock"] == decide["clock"]
        assert [message["type"] for message in replay.messages] == ["hello", "decide"]
        assert (replay.hello["seed"], replay.hello["resumed"]) == (hello["seed"], hello["resumed"])
        assert {**replay.messages[-1], "log": []} == {**decide, "log": []}
        assert orjson.loads(decision["answer"])["move"] == replay.questions[-1].played


def test_faults_and_stderr_of_a_bot_are_in_its_log(sandbox_launcher: SandboxLauncher) -> None:
    ada = person("ada")
    match = with_a_house_bot(uploaded(ada, source=CHATTY))
    play_on(match, sandbox_launcher)
    log = log_of(finished(match), 0, ada)
    assert log is not None
    (strike,) = log["strikes"]
    assert (strike["id"], strike["reason"]) == (3, "illegal")
    assert "nonsense" in strike["answer"]
    assert "nonsense" in log["decisions"][2]["answer"]
    assert [decision["strikes"] for decision in log["decisions"][:4]] == [0, 0, 0, 1]
    assert log["stderr_tail"] == "thinking of 3\n"
    assert all(decision["cpu_us"] is not None for decision in log["decisions"])
    assert all(start["ready_us"] for start in log["starts"])


def test_clocks_in_a_log_are_those_that_were_sent_to_the_bot() -> None:
    clocks: list[Document] = []

    def attentive(message: Document) -> Any:
        if message["type"] == "decide" and message["decision"]["seat"] == 0:
            clocks.append(message["clock"])
        return default(message)

    ada = person("ada")
    match = with_a_house_bot(uploaded(ada))
    play_on(match, Fakes(attentive))
    PlayedMove.objects.filter(match=match, decision=1).update(wall_ms=0)
    log = log_of(finished(match), 0, ada)
    assert log is not None
    assert [decision["clock"]["bank_ms"] for decision in log["decisions"]] == [clock["bank_ms"] for clock in clocks]


def test_an_answer_counts_though_nobody_can_write_down_what_was_seen_of_it(settings: Settings) -> None:
    match = with_a_house_bot(uploaded(person("ada")))
    away = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "unix:///nowhere"}
    settings.CACHES = {**settings.CACHES, "default": away}
    assert play_on(match, Fakes(default)) > 10
    assert finished(match).status == "finished"
    assert not PlayedMove.objects.exclude(default="").exists()


def test_a_log_without_the_workers_notes_has_what_the_moves_tell() -> None:
    ada = person("ada")
    match = with_a_house_bot(uploaded(ada))
    play_on(match, Fakes(default))
    cache.clear()
    log = log_of(finished(match), 0, ada)
    assert log is not None
    assert len(log["decisions"]) == PlayedMove.objects.filter(match=match, seat__index=0).count()
    assert [start["first"] for start in log["starts"]] == [1]
    assert log["decisions"][0]["cpu_us"] is None
    assert "move" in orjson.loads(log["decisions"][0]["answer"])


def test_the_owner_of_a_remote_bot_reads_what_was_wrong_with_its_answers() -> None:
    match, seat = game_of(DUEL, 2), 1
    owner = Bot.objects.get(pk=bot_at(match, seat)).owner
    assert owner is not None
    play_remotely(match, at_random(3), 2)
    while not _owes(match, seat):
        play_remotely(match, at_random(3), 1)
    pass_time(match)
    number = asked(match, seat)["id"]
    answer(match.pk, bot_at(match, seat), number, b'{"move": {"nonsense": 1}, "thought_ms": 2}')
    play_remotely(match, at_random(3))
    match = finished(match)
    log = log_of(match, seat, owner)
    assert log is not None
    assert [(strike["id"], strike["reason"]) for strike in log["strikes"]] == [(number, "illegal")]
    assert "nonsense" in log["decisions"][number - 1]["answer"]
    assert rebuild(record_of(match) or {}, log["decisions"][-1]["ply"], log).messages[0]["type"] == "hello"
    assert log_of(match, 1 - seat, owner) is None
    assert log_of(match, seat, AnonymousUser()) is None


def _owes(match: Match, seat: int) -> bool:
    return match.table.live_seats.filter(seat__index=seat, owes=True).exists()


def test_bots_of_the_house_have_no_logs() -> None:
    match = with_a_house_bot(uploaded(person("ada")))
    play_on(match, Fakes(default))
    match = finished(match)
    assert list(SeatLog.objects.values_list("seat__index", flat=True)) == [0]
