"""Whole live games of hosted bots, with the real workers of a site, and what becomes of one that cannot be played."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from django.conf import settings

from bots import programs
from bots.models import Bot
from bots.protocol import Limits
from bots.runner.clock import cores
from bots.sandbox import SelfTest
from bots.uploads.storage import uploads
from esr_platform.supervisor.processes import host as host_command
from ladder.creation import open_house
from ladder.live.hosted import ask_seat, remind
from ladder.live.notify import wake
from ladder.models import Block, LiveSeat, Match, PlayedMove, SeatLog
from tests.build import person, uploaded
from tests.ladder.accounts import accounts
from tests.ladder.hosts import host
from tests.ladder.live.hosted import Fakes, asked_once, default, house_bots, house_game, open_ladder, owing
from tests.ladder.live.play import pass_time, table_of
from tests.ladder.live.test_logs import with_a_house_bot
from tests.services.ports import wait_until
from tests.services.races import RaceServer
from tests.services.workers import Processes


@pytest.mark.usefixtures("house")
def test_a_game_whose_code_is_lost_is_void_and_the_bot_is_paused(sandbox_launcher: object) -> None:
    bot = uploaded(person("ada"))
    match = with_a_house_bot(bot)
    version = bot.active_version
    assert version is not None
    while not match.table.live_seats.filter(seat__index=0, owes=True).exists():
        asked_once(match, Fakes(default))
    uploads().delete(version.archive)
    shutil.rmtree(Path(settings.VAR_DIR) / "unpacked", ignore_errors=True)
    pass_time(match)
    assert not ask_seat(match.pk, 0)
    match.refresh_from_db()
    bot.refresh_from_db()
    assert match.status == "void"
    assert match.reason.startswith("The bot at seat 0 could not be run: ")
    assert bot.paused is not None
    assert not LiveSeat.objects.filter(table=match.pk, owes=True).exists()
    assert accounts() == []


@pytest.mark.usefixtures("house")
def test_a_machine_whose_files_lie_on_a_disk_does_not_ask_uploaded_bots_in_rated_games(
    sandbox_launcher: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = uploaded(person("ada"))
    match = with_a_house_bot(bot)
    while not match.table.live_seats.filter(seat__index=0, owes=True).exists():
        asked_once(match, Fakes(default))
    pass_time(match)
    unrated = SelfTest(ok=True, rated=False, problem="Files lie on a disk.")
    fakes = Fakes(default)
    with monkeypatch.context() as patched:
        patched.setattr(programs, "current_test", lambda: unrated)
        assert not ask_seat(match.pk, 0, launcher=fakes)
        assert fakes.starts == 0
        Block.objects.filter(matches=match).update(purpose=Block.Purpose.CASUAL)
        pass_time(match)
        assert ask_seat(match.pk, 0, launcher=fakes)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("hosts", [0, 2, 4])
def test_four_workers_that_ask_the_same_seats_at_once_play_each_decision_once(
    race_server: RaceServer, tmp_path: Path, hosts: int
) -> None:
    """Celery workers, worker hosts, or both."""
    open_house()
    match, until = house_game("greedy", "haggler"), {"moves": 12}
    of_host = {"host": host("racing").name}
    counted = race_server.race_of("tests.ladder.races", tmp_path)(
        *[("waking_until", {"match": match.pk, **until, **(of_host if number < hosts else {})}) for number in range(4)]
    )
    moves = list(PlayedMove.objects.filter(match=match).order_by("number"))
    assert sum(counted) >= len(moves) >= 12
    assert [move.number for move in moves] == list(range(len(moves)))
    assert not any(move.default for move in moves)
    assert sum(LiveSeat.objects.filter(table=match.pk).values_list("starts", flat=True)) == len(moves)


SLEEPER = b"""\
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    if message["type"] == "decide":
        time.sleep(3600)
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_bots_that_sleep_keep_no_other_table_waiting_and_no_worker_from_stopping(site_processes: Processes) -> None:
    open_house()
    patient = Limits(move_ms=600_000, game_ms=3_600_000)
    ladder = open_ladder()
    sleepers = [uploaded(person(f"ada{number}"), f"Sleeper {number}", SLEEPER) for number in range(2 * cores() + 1)]
    for bot in sleepers:
        table_of(ladder, [bot, *house_bots(ladder, "greedy")], limits=patient, rated=False)
    command = host_command({})
    site_processes.environment = {**site_processes.environment, **command.environment}
    worker = site_processes.python(*command.arguments[1:])
    asleep = LiveSeat.objects.filter(owes=True, seat__version__bot__in=sleepers).exclude(lease=None)
    remind()
    wait_until(lambda: asleep.count() == len(sleepers), "all sleepers are asked")
    game = house_game("greedy", "haggler", rated=False)
    for seat in (0, 1):
        wake(game.pk, seat)
    site_processes.worker("default")
    wait_until(lambda: Match.objects.filter(pk=game.pk, status="finished").exists(), "the other game is over")
    assert asleep.count() == len(sleepers)
    worker.terminate()
    assert worker.wait(60) != 0


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_workers_play_live_games_to_their_results_although_one_is_killed(site_processes: Processes) -> None:
    open_house()
    worker = site_processes.worker("seats,live", processes=2)
    games = [with_a_house_bot(uploaded(person("ada"))), house_game("greedy", "haggler", rated=False)]
    wait_until(lambda: PlayedMove.objects.count() > 10, "the games continue")
    os.killpg(worker.pid, signal.SIGKILL)
    site_processes.worker("seats,live,default", processes=2)
    site_processes.beat()
    done = Match.objects.filter(pk__in=[match.pk for match in games], status="finished")
    wait_until(lambda: done.count() == 2, "both games have their results")
    assert [match.result.report["forfeits"] for match in done] == [[], []]
    assert not PlayedMove.objects.exclude(default="").exists()
    assert SeatLog.objects.count() == 1
    assert not Bot.objects.exclude(paused=None).exists()
    assert owing(games[0]) is None
