from __future__ import annotations

import os
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db.models.functions import Now

from bots.cli.records import rebuild
from bots.models import Bot
from bots.runner.bot_log import Transcript
from bots.runner.play import play_match
from bots.runner.report import MachineDelay, MatchReport, SeatReport
from bots.runner.spec import FakeProgram, MatchSpec, SeatSpec
from bots.sandbox.in_process import InProcessLauncher
from esr_platform.accounts.models import Role, User
from ladder.exports.documents import record_of
from ladder.matches import logs
from ladder.matches.logs import MOST_BYTES, forget_old_logs, log_of, packed, packed_logs, readable_seats, unpacked
from ladder.matches.play import play
from ladder.matches.results import record_result
from ladder.matches.schedule import fill
from ladder.models import Ladder, Match, Result, SeatLog
from tests.build import claimed, finish_others, match_of, person, uploaded
from tests.ladder.matches.test_play import fake, with_fakes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("house")]

CHATTY = b"""\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        sys.stderr.write("my seed is " + message["seed"])
        print('{"type": "ready"}', flush=True)
    if message["type"] == "decide" and message["id"] == 3:
        print('{"id": 3, "move": "nonsense \\u00e9"}', flush=True)
    elif message["type"] == "decide":
        print(json.dumps({"id": message["id"], "move": message["decision"]["default"]}), flush=True)
"""


@pytest.fixture
def ada() -> User:
    return person("ada")


@pytest.fixture
def bot(ada: User) -> Bot:
    return uploaded(ada, source=CHATTY)


@pytest.fixture
def match(bot: Bot) -> Match:
    return match_of(bot, Ladder.objects.get(slug="edel-stein-reich-duel"))


@pytest.fixture
def played(sandbox_launcher: object, match: Match) -> Match:
    """A match that the uploaded bot and one of the house have played in the sandbox; its whole block has ended."""
    assert play(match.pk) == "finished"
    finish_others(match)
    return Match.objects.select_related("ladder", "block").get(pk=match.pk)


def pretending(spec: MatchSpec[Any], transcript: Transcript) -> MatchReport:
    """A game of fakes in the place of the programs."""
    seats = tuple(SeatSpec(seat.label, FakeProgram(fake)) for seat in spec.seats)
    return play_match(replace(spec, seats=seats), InProcessLauncher(), transcript)


def test_a_log_has_the_hello_every_decision_strikes_and_stderr(played: Match, ada: User) -> None:
    log = log_of(played, 0, ada)
    assert log is not None
    (start,) = log["starts"]
    assert start["hello"]["seed"] == played.result.report["seats"][0]["bot_seed"]
    assert log["stderr_tail"] == f"my seed is {start['hello']['seed']}"
    assert [decision["id"] for decision in log["decisions"]] == list(range(1, len(log["decisions"]) + 1))
    assert all(decision["wall_us"] >= 0 and decision["cpu_us"] >= 0 for decision in log["decisions"])
    assert log["decisions"][0]["decision"]["kind"]
    assert log["decisions"][0]["answer"].startswith('{"id": 1, "move":')
    (strike,) = log["strikes"]
    assert (strike["id"], strike["reason"]) == (3, "illegal")
    assert "nonsense" in strike["answer"]


def test_with_the_record_a_log_gives_every_message_again(played: Match, ada: User) -> None:
    log, record = log_of(played, 0, ada), record_of(played)
    assert log is not None
    assert record is not None
    replayed = rebuild(record, log["decisions"][-1]["ply"], log)
    assert replayed.hello == log["starts"][0]["hello"]
    assert [question.id for question in replayed.questions] == [decision["id"] for decision in log["decisions"]]


def test_nobody_else_reads_what_a_bot_wrote(played: Match) -> None:
    assert "my seed is" not in str(Result.objects.get(match=played).report)
    assert "stderr_tail" not in played.result.report["seats"][0]


def test_the_owner_and_staff_may_read_it_and_nobody_else(played: Match, ada: User) -> None:
    bob, staff = person("bob"), person("staff")
    staff.role = Role.MODERATOR
    for user in (ada, staff):
        assert log_of(played, 0, user) is not None
        assert readable_seats(played, user) == {0}
    ada.is_active = False
    for stranger in (bob, AnonymousUser(), ada):
        assert log_of(played, 0, stranger) is None
        assert readable_seats(played, stranger) == frozenset()


def test_nobody_reads_a_log_while_another_game_of_its_deal_is_to_be_played(match: Match, ada: User) -> None:
    """It tells what was dealt, and the same owner's bot has still to play with that."""
    assert play(match.pk, pretending) == "finished"
    assert SeatLog.objects.filter(seat__match=match).exists()
    ada.role = Role.MODERATOR
    assert (log_of(match, 0, ada), readable_seats(match, ada)) == (None, frozenset())
    finish_others(match)
    assert (log_of(match, 0, ada) is not None, readable_seats(match, ada)) == (True, {0})


def test_there_are_no_logs_of_the_house_nor_of_seats_that_are_not_there(played: Match, ada: User) -> None:
    ada.role = Role.MODERATOR
    assert [log_of(played, index, ada) for index in (1, 2, -1)] == [None] * 3
    assert SeatLog.objects.count() == 1


def test_each_owner_of_a_table_reads_their_own(bot: Bot, ada: User, sandbox_launcher: object) -> None:
    bob = person("bob")
    other = uploaded(bob, "Other", source=CHATTY)
    ladder = Ladder.objects.get(slug="edel-stein-reich-duel")
    ladder.memberships.exclude(bot__in=[bot, other]).update(active=False)
    fill(Random(1))
    match = Match.objects.select_related("ladder").filter(ladder=ladder)[0]
    assert play(match.pk, pretending) == "finished"
    finish_others(match)
    seat = match.seats.get(membership__bot=bot).index
    assert readable_seats(match, ada) == {seat}
    assert readable_seats(match, bob) == {1 - seat}
    assert log_of(match, 1 - seat, ada) is None


def test_a_match_of_the_house_keeps_no_lines_at_all(bot: Bot) -> None:
    ladder = Ladder.objects.get(slug="edel-stein-reich-duel")
    ladder.memberships.filter(bot=bot).update(active=False)
    fill(Random(1))
    watched = []

    def runner(spec: MatchSpec[Any], observer: Any) -> MatchReport:
        watched.append(observer.observer)
        return with_fakes(spec)

    assert play(Match.objects.filter(ladder=ladder)[0].pk, runner) == "finished"
    assert watched == [None]
    assert not SeatLog.objects.exists()


def test_a_result_brought_twice_has_one_log(match: Match) -> None:
    lease = claimed(match)
    transcript = Transcript(2, [0])
    report = pretending(spec_of_fakes(match), transcript)
    logs = packed_logs(report, transcript)
    assert record_result(lease, report, logs)
    assert record_result(lease, report, logs) is None
    assert SeatLog.objects.get().seat.match == match


def test_an_attempt_that_did_not_count_leaves_no_log(match: Match) -> None:
    def delayed(spec: MatchSpec[Any], observer: Any) -> MatchReport:
        delays = (MachineDelay(0, 1, 1_100_000, 1_000_000, 500_000),)
        return replace(pretending(spec, observer), machine_delays=delays, play_again=True)

    assert play(match.pk, delayed) == "delayed"
    assert not SeatLog.objects.exists()
    assert match.attempts.get().failure == (
        "server lag at seat 0: decision 1 took 1.1 s, including 0.5 s of waiting for a processor"
    )


def test_a_game_that_cannot_be_described_still_has_its_result(match: Match, caplog: pytest.LogCaptureFixture) -> None:
    def forgetful(spec: MatchSpec[Any], observer: Any) -> MatchReport:
        report = pretending(spec, observer)
        observer.observer.seats[0].exchanges.pop()
        return report

    assert play(match.pk, forgetful) == "finished"
    assert not SeatLog.objects.exists()
    assert "bot log of seat 0" in caplog.text


def test_a_log_that_cannot_be_packed_takes_no_other_with_it(match: Match) -> None:
    transcript = Transcript(2, [0, 1])
    report = pretending(spec_of_fakes(match), transcript)
    transcript.seats[0].exchanges.pop()
    ((seat, log),) = packed_logs(report, transcript).items()
    assert (seat, unpacked(log)["bot"]) == (1, "bot 1")


def test_a_log_is_bounded_whatever_a_bot_writes(match: Match) -> None:
    noise = os.urandom(64 * 1024).decode("utf-8", "backslashreplace")
    long = {
        "stderr_tail": noise,
        "decisions": [{"id": number, "answer": os.urandom(500).hex()} for number in range(1000)],
    }
    data = packed(long)
    assert len(data) <= MOST_BYTES
    assert unpacked(data)["stderr_tail"].encode()[-16_000:] == noise.encode()[-16_000:]
    assert unpacked(data)["decisions"][7] == {"id": 7, "answer": None}


def test_a_log_of_usual_length_is_kept_whole() -> None:
    log = {"stderr_tail": "x" * logs.KEPT_STDERR, "decisions": [{"answer": "y" * 500}] * 100}
    assert unpacked(packed(log)) == log


def test_a_log_keeps_the_end_of_a_long_stderr_and_says_that_it_is_cut() -> None:
    log = {"stderr_tail": "start" + "ä" * logs.KEPT_STDERR + "end", "decisions": [{"answer": "a"}]}
    kept = unpacked(packed(log))
    notice, _, end = kept["stderr_tail"].partition("\n")
    assert notice == "[cut here: only the last 16 KiB are kept]"
    assert end == "ä" * ((logs.KEPT_STDERR - 3) // 2) + "end"
    assert kept["decisions"] == log["decisions"]


def test_noise_on_stderr_costs_little_more_than_what_is_kept_of_it() -> None:
    noise = os.urandom(64 * 1024).decode("latin-1")
    assert len(packed({"stderr_tail": noise, "decisions": []})) < logs.KEPT_STDERR * 1.25


def test_a_form_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="the form '07'"):
        unpacked(b"\x07x")


def test_logs_are_forgotten_when_they_are_old_and_not_before(played: Match, ada: User, settings: Any) -> None:
    settings.BOT_LOG_DAYS = 30
    SeatLog.objects.update(created=Now() - timedelta(days=29))
    assert forget_old_logs() == 0
    SeatLog.objects.update(created=Now() - timedelta(days=31))
    assert forget_old_logs() == 1
    assert log_of(played, 0, ada) is None
    assert record_of(played) is not None


def test_a_log_of_a_seat_that_was_never_ready_can_be_read() -> None:
    seat = SeatReport("bot", "00", None, (), (), 1, "Traceback")
    report = MatchReport(
        {"steps": [], **dict.fromkeys(("game", "rules", "seats", "commitment"), "")}, (), (seat,), (), False, 1
    )
    transcript = Transcript(1)
    transcript.seats[0].hellos.append(b'{"type": "hello"}')
    log = unpacked(packed_logs(report, transcript)[0])
    assert (log["starts"][0]["ready_us"], log["decisions"], log["stderr_tail"]) == (None, [], "Traceback")


def spec_of_fakes(match: Match) -> MatchSpec[Any]:
    seats = tuple(SeatSpec(f"bot {index}", FakeProgram(fake)) for index in range(match.ladder.seats))
    return MatchSpec(match.ladder.game, seats, bytes(match.block.seed), match=str(match.pk))
