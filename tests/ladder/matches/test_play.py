from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from bots.models import BotVersion
from bots.protocol import Limits, bot_seeds
from bots.runner.launcher import NoCoreFree, Observer, PlatformFailure
from bots.runner.leased import LeasedProcesses, WhileLeased
from bots.runner.play import play_match
from bots.runner.report import MachineDelay, MatchReport
from bots.runner.spec import MAX_REPLAYS, FakeProgram, HouseProgram, LocalProgram, MatchSpec, SeatSpec
from bots.sandbox.in_process import InProcessLauncher
from bots.sandbox.launchers import PlainLauncher
from bots.worker.play import Play
from esr_platform.heartbeats import LeaseLost
from games.rules import Document, State
from ladder.corrections import withdraw
from ladder.matches import leases
from ladder.matches.assignments import seeds_key, spec_of
from ladder.matches.leases import MOST_FAILURES, claim, renewed
from ladder.matches.play import play, program_here
from ladder.models import Attempt, Ladder, Match, Result
from tests.build import report_of, staff
from tests.ladder.hosts import play_by_host
from tests.services.ports import wait_until


def fake(message: Document) -> Any:
    """A bot that always plays its first legal move."""
    return message["decision"]["default"] if message["type"] == "decide" else None


def with_fakes(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
    seats = tuple(SeatSpec(seat.label, FakeProgram(fake)) for seat in spec.seats)
    return play_match(replace(spec, seats=seats), InProcessLauncher(), observer)


def failing(error: Exception) -> Play:
    def runner(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        raise error

    return runner


def random_play(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
    return report_of(Match.objects.select_related("ladder").get(pk=int(spec.match)))


PlayedBy = Callable[[int, Play], Attempt.Ending | None]
"""Plays a match by its id with a runner; how the attempt ended, ``None`` if there was nothing to play."""


@pytest.fixture(params=["celery", "host"])
def by(request: pytest.FixtureRequest, tmp_path: Path) -> PlayedBy:
    """A Celery worker, and a worker host that reaches the site by its API alone."""
    return play if request.param == "celery" else partial(play_by_host, cache=tmp_path)


def due(match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(due_at=Now())


def test_a_match_is_played_by_the_runner_and_its_result_kept(
    transactional_db: None, match: Match, by: PlayedBy
) -> None:
    assert by(match.pk, with_fakes) == Attempt.Ending.FINISHED
    result = Result.objects.get(match=match)
    assert result.report["seats"][0]["label"] == str(match.seats.get(index=0).version)
    assert "record" not in result.report


def test_a_redelivered_task_plays_once(transactional_db: None, match: Match, by: PlayedBy) -> None:
    played = []

    def counting(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        played.append(spec.match)
        return random_play(spec)

    assert by(match.pk, counting) == Attempt.Ending.FINISHED
    assert by(match.pk, counting) is None
    assert played == [str(match.pk)]


def test_a_redelivery_while_the_match_is_played_plays_nothing(
    transactional_db: None, match: Match, by: PlayedBy
) -> None:
    inner = []

    def redelivering(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        inner.append(by(match.pk, random_play))
        return random_play(spec)

    assert by(match.pk, redelivering) == Attempt.Ending.FINISHED
    assert inner == [None]


def test_a_failure_of_the_platform_ends_the_attempt_with_its_reason(
    transactional_db: None, match: Match, by: PlayedBy
) -> None:
    assert by(match.pk, failing(PlatformFailure("no process could be started"))) == Attempt.Ending.FAILED
    match.refresh_from_db()
    assert match.status == "queued"
    assert match.attempts.get().failure in ("no process could be started", "the worker could not play the match")


def test_a_match_that_found_no_core_for_its_bots_is_queued_again_however_often(
    transactional_db: None, match: Match, by: PlayedBy
) -> None:
    for _ in range(MOST_FAILURES + 1):
        due(match)
        assert by(match.pk, failing(NoCoreFree("no core was free"))) == Attempt.Ending.BUSY
        match.refresh_from_db()
        assert match.status == "queued"
    due(match)
    assert by(match.pk, with_fakes) == Attempt.Ending.FINISHED


def test_waiting_for_a_core_uses_up_no_re_run_for_server_lag(
    transactional_db: None, match: Match, by: PlayedBy
) -> None:
    before = []

    def count(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        before.append(spec.played_before)
        return random_play(spec)

    for _ in range(MAX_REPLAYS):
        due(match)
        by(match.pk, failing(NoCoreFree("no core was free")))
    due(match)
    by(match.pk, count)
    assert before == [0]


def test_an_unforeseen_error_is_ours_and_tells_no_details(transactional_db: None, match: Match, by: PlayedBy) -> None:
    assert by(match.pk, failing(KeyError("/etc/secret"))) == Attempt.Ending.FAILED
    assert match.attempts.get().failure in ("internal error (KeyError)", "the worker could not play the match")


def test_a_record_that_does_not_verify_ends_the_attempt(transactional_db: None, match: Match, by: PlayedBy) -> None:
    def cheating(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        report = random_play(spec)
        return replace(report, record={**report.record, "outcome": None})

    assert by(match.pk, cheating) == Attempt.Ending.FAILED
    assert match.attempts.get().failure == "the record failed re-execution"
    assert not Result.objects.exists()


def test_a_match_whose_code_is_not_here_waits_for_a_machine_that_has_it(transactional_db: None, match: Match) -> None:
    BotVersion.objects.filter(pk=match.seats.get(index=0).version_id).update(digest="0" * 64)
    assert play(match.pk, random_play) is None
    match.refresh_from_db()
    assert (match.status, match.attempts_started) == ("queued", 0)


@pytest.mark.parametrize("limits", [{"minutes": 3}, {"move_ms": -1}, {"game_ms": 300_000}])
def test_a_ladder_with_impossible_limits_keeps_its_matches(
    transactional_db: None, match: Match, limits: dict[str, int], caplog: pytest.LogCaptureFixture
) -> None:
    Ladder.objects.filter(pk=match.ladder_id).update(limits=limits)
    assert play(match.pk, random_play) is None
    match.refresh_from_db()
    assert (match.status, match.attempts_started) == ("queued", 0)
    assert "the limits of Edel, Stein & Reich, 4 players" in caplog.text


def test_a_game_spoilt_by_the_machine_is_played_again_at_most_twice(
    transactional_db: None, match: Match, by: PlayedBy
) -> None:
    before = []

    def on_a_slow_machine(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        before.append(spec.played_before)
        delay = MachineDelay(spec.played_before, 3, 1_200_000, 1_000_000, 900_000)
        return replace(random_play(spec), machine_delays=(delay,), play_again=True)

    endings = []
    for _ in range(3):
        due(match)
        endings.append(by(match.pk, on_a_slow_machine))
    assert endings == [Attempt.Ending.DELAYED, Attempt.Ending.DELAYED, Attempt.Ending.FINISHED]
    assert before == [0, 1, 2]
    assert Result.objects.get().report["machine_delays"][0]["machine_delay_us"] == 900_000


def test_each_version_has_one_rerun_in_a_block_and_denies_none_to_another(
    transactional_db: None, match: Match, by: PlayedBy
) -> None:
    def ends(game: Match, *late: int) -> Attempt.Ending | None:
        """How an attempt at ``game`` ends in which the machine makes these versions late."""
        seats = [seat.index for seat in game.seats.all() if seat.version_id in late]
        delays = tuple(MachineDelay(seat, 3, 1_200_000, 1_000_000, 900_000) for seat in seats)
        due(game)
        return by(game.pk, lambda spec, _: replace(random_play(spec), machine_delays=delays, play_again=True))

    other = Match.objects.filter(block=match.block).exclude(pk=match.pk)[0]
    first, second, third = match.seats.order_by("index").values_list("version", flat=True)[:3]
    assert ends(match, first) == "delayed"
    assert ends(match, first, second) == "delayed", "the second has not used its right"
    assert ends(other, first, second) == "finished", "both have, in another game of the block"
    assert not Result.objects.get().report["play_again"]
    assert ends(match, third) == "finished", "a game is played at most three times"
    assert set(match.block.reruns.values_list("version", "attempt__match")) == {(first, match.pk), (second, match.pk)}


def test_a_worker_that_stalls_before_it_claims_knows_of_the_replays_of_others(
    transactional_db: None, match: Match
) -> None:
    """What it read before says that the game was never played in vain; a third replay would be one too many."""
    before, meanwhile = [], []

    def on_a_slow_machine(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        before.append(spec.played_before)
        delay = MachineDelay(spec.played_before, 3, 1_200_000, 1_000_000, 900_000)
        again = spec.played_before < MAX_REPLAYS
        return replace(random_play(spec), machine_delays=(delay,), play_again=again)

    def stall(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("UPDATE") and not meanwhile:
            meanwhile.append("claimed by others")
            for _ in range(MAX_REPLAYS):
                meanwhile.append(play(match.pk, on_a_slow_machine))
                due(match)
        return execute(sql, *rest)

    with connection.execute_wrapper(stall):
        assert play(match.pk, on_a_slow_machine) == Attempt.Ending.FINISHED
    assert meanwhile[1:] == [Attempt.Ending.DELAYED] * MAX_REPLAYS
    assert before == [0, 1, 2]
    assert not Result.objects.get().report["play_again"]


def test_a_match_that_was_lost_meanwhile_gets_no_second_result(transactional_db: None, match: Match) -> None:
    def too_slow(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        Match.objects.filter(pk=match.pk).update(status="queued", lease=None, lease_until=None)
        Attempt.objects.filter(match=match).update(ending="expired", ended=Now(), failure="lost")
        assert play(match.pk, random_play) == Attempt.Ending.FINISHED
        return report_of(match, variety=1)

    assert play(match.pk, too_slow) is None
    assert Result.objects.get().attempt.number == 2


def test_a_game_is_stopped_when_its_match_is_no_longer_the_workers(
    transactional_db: None, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "RENEW_EVERY_S", 0.001)
    lines: list[bytes] = []

    class Losing:
        def __init__(self, observer: Observer) -> None:
            self.moved, self.heard, self._observer = observer.moved, observer.heard, observer

        def sent(self, seat: int, line: bytes) -> None:
            lines.append(line)
            if len(lines) == 10:
                Match.objects.filter(pk=match.pk).update(status="queued", lease=None, lease_until=None)
                wait_until(lambda: lost(self._observer, seat, line), "the loss is noticed")
            self._observer.sent(seat, line)

    def losing(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        assert observer is not None
        return with_fakes(spec, Losing(observer))

    assert play(match.pk, losing) is None
    assert len(lines) == 10
    assert match.attempts.get().ending == "open"
    assert not Result.objects.exists()


def test_a_match_whose_lease_was_not_renewed_in_time_is_queued_again_at_once(
    transactional_db: None, match: Match
) -> None:
    def unreached(_: MatchSpec[Any], __: Observer | None = None) -> MatchReport:
        raise LeaseLost

    assert play(match.pk, unreached) == "expired"
    match.refresh_from_db()
    assert (match.status, match.lease) == ("queued", None)
    assert match.attempts.get().ending == "expired"


SLEEPING = b"""import json, sys, time
for line in sys.stdin:
    if json.loads(line)["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "Sleeping"}), flush=True)
    else:
        time.sleep(86400)
"""


def test_the_bots_of_a_withdrawn_match_end_in_the_middle_of_a_decision_before_others_of_its_block_begin(
    transactional_db: None, match: Match, tmp_path: Path
) -> None:
    """The bot has a day for its decision, and sleeps all of it."""
    (tmp_path / "bot.py").write_bytes(SLEEPING)
    seat = SeatSpec("sleeping", LocalProgram(tmp_path))
    day_ms = 86_400_000
    limits = replace(Limits(), move_ms=day_ms, game_ms=day_ms)
    spec = replace(spec_of(match, program_here), seats=(seat,) * match.ladder.seats, limits=limits)
    other = Match.objects.filter(block=match.block, status="queued").exclude(pk=match.pk).order_by("pk")[0]
    processes = LeasedProcesses[LocalProgram]()
    lease, eve = claim(match.pk, "here"), staff("eve")
    assert lease is not None

    class Withdrawing:
        def moved(self, state: State) -> None: ...

        def heard(self, seat: int, line: bytes) -> None: ...

        def sent(self, seat: int, line: bytes) -> None:
            if json.loads(line)["type"] == "decide" and not hasattr(self, "done"):
                self.done = withdraw(match.pk, "It hangs.", eve)

    with renewed(lease, 0.01, processes.kill) as heart, pytest.raises(LeaseLost):
        play_match(spec, processes.of(PlainLauncher()), WhileLeased(heart, Withdrawing()))
    assert claim(other.pk, "there") is None
    Match.objects.filter(pk=other.pk).update(due_at=Now())
    assert claim(other.pk, "there") is not None


def lost(observer: Observer, seat: int, line: bytes) -> bool:
    try:
        observer.sent(seat, line)
    except LeaseLost:
        return True
    return False


def test_the_runner_is_told_plain_data_and_plays_outside_any_transaction(transactional_db: None, match: Match) -> None:
    seen = []

    def runner(spec: MatchSpec[Any], observer: Observer | None = None) -> MatchReport:
        seen.append((pickle.loads(pickle.dumps(spec)) == spec, connection.in_atomic_block))
        return random_play(spec)

    play(match.pk, runner)
    assert seen == [(True, False)]


def test_a_specification_names_pinned_house_code_and_the_match(match: Match) -> None:
    spec = spec_of(match, program_here)
    versions = [seat.version for seat in match.seats.select_related("version__bot").order_by("index")]
    assert [seat.program for seat in spec.seats] == [HouseProgram(v.bot.house_name, v.digest) for v in versions]
    assert (spec.game, spec.seed, spec.match) == ("edel-stein-reich", bytes(match.block.seed), str(match.pk))
    assert spec.bot_seeds == bot_seeds(seeds_key(), str(match.pk), 4)


def test_a_ladder_may_have_its_own_limits(match: Match) -> None:
    match.ladder.limits = {"move_ms": 200}
    limits = spec_of(match, program_here).limits
    assert (limits.move_ms, limits.bank_ms) == (200, 10_000)


@pytest.mark.parametrize("seed", range(3))
def test_ratings_of_whole_games_through_the_runner_add_up(transactional_db: None, match: Match, seed: int) -> None:
    for sampled in Random(seed).sample(list(Match.objects.all()), 3):
        assert play(sampled.pk, with_fakes) == Attempt.Ending.FINISHED
    assert sum(rating - 1_500_000 for rating in match.ladder.memberships.values_list("rating", flat=True)) == 0
