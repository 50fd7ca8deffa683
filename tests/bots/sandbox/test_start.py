from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bots.protocol import Limits
from bots.runner import HouseProgram, LocalProgram, PlatformFailure
from bots.runner.channel import open_channel
from bots.sandbox import PlainLauncher, SandboxLauncher, interpreter
from bots.sandbox.sandbox_launcher import find_bubblewrap
from games.record import verify
from tests.bots.sandbox.programs import HONEST, READ_ONLY, duel, folder_of, program, stop
from tests.services.leftovers import nothing_is_left
from tests.services.tools import compiler_fault

SECOND_NS = 10**9
C_BOT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char line[1 << 20];
int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"hello\"")) puts("{\"type\": \"ready\"}");
        char *id = strstr(line, "\"id\":"), *move = strstr(line, "\"default\":\"");
        if (strstr(line, "\"type\":\"decide\"") && id && move) {
            move += 11;
            printf("{\"id\": %d, \"move\": \"%.*s\"}\n", atoi(id + 5), (int)strcspn(move, "\""), move);
        }
    }
    return 0;
}
"""

C_THREADS = r"""
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
enum { THREADS = 16, ROUNDS = 200 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t two, none;
static int count, threads;
static void *work(void *unused) {
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&two);
        pthread_rwlock_wrlock(&lock);
        count++;
        pthread_rwlock_unlock(&lock);
        sem_post(&two);
    }
    pthread_mutex_lock(&mutex);
    threads++;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void) {
    pthread_t ids[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&two, 0, 2);
    sem_init(&none, 0, 0);
    for (int i = 0; i < THREADS; i++) pthread_create(ids + i, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    while (threads < THREADS) pthread_cond_wait(&ended, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
    struct timespec past = {1, 0};
    fprintf(stderr, "%d %d %d", count, threads, sem_timedwait(&none, &past));
    return 0;
}
"""

CPP_THREADS = r"""
#include <atomic>
#include <cstdio>
#include <future>
#include <latch>
#include <semaphore>
#include <thread>
int main() {
    std::atomic<int> turn{0};
    std::counting_semaphore<4> done{0};
    std::latch all{2};
    std::promise<int> promise;
    std::thread other([&] {
        for (int i = 0; i < 2000; i += 2) {
            turn.wait(i);
            turn = i + 2;
            turn.notify_all();
        }
        done.release();
        all.arrive_and_wait();
        promise.set_value(7);
    });
    auto result = promise.get_future();
    for (int i = 0; i < 2000; i += 2) {
        turn = i + 1;
        turn.notify_all();
        turn.wait(i + 1);
    }
    done.acquire();
    all.arrive_and_wait();
    int sum = result.get() + std::async(std::launch::async, [] { return 35; }).get();
    other.join();
    std::fprintf(stderr, "%d %d", turn.load(), sum);
}
"""


@pytest.fixture(params=["sandboxed", "plain"])
def launcher(request: pytest.FixtureRequest) -> SandboxLauncher | PlainLauncher:
    if request.param == "plain":
        return PlainLauncher()
    launcher = request.getfixturevalue("sandbox_launcher")
    assert isinstance(launcher, SandboxLauncher)
    return launcher


def test_house_bots_play_a_game(launcher: SandboxLauncher | PlainLauncher) -> None:
    report = duel(launcher, *(HouseProgram(name) for name in ("random", "greedy", "haggler")))
    assert report.forfeits == ()
    assert all(seat.strikes == () and seat.exit_status == 0 for seat in report.seats)
    assert all(seat.cpu_us > 0 for seat in report.seats)
    assert verify(report.record).outcome == report.record["outcome"]


@contextmanager
def compiled(source: str, compiler: Sequence[str] = ("cc",), filename: str = "bot.c") -> Iterator[LocalProgram]:
    """A program in C or C++. Skip the test if ``compiler`` does not work on this machine."""
    command = (*compiler, "-O1", "-pthread", "-o")
    fault = compiler_fault((*command, "{out}", filename), filename, "int main(void) { return 0; }\n")
    if fault is not None:
        pytest.skip(f"{compiler[0]} cannot build a program on this machine: {fault}")
    with folder_of({filename: source}) as folder:
        subprocess.run([*command, folder / "bot", folder / filename], check=True)
        yield LocalProgram(folder, entry="bot")


def test_a_program_in_c_plays_a_game(launcher: SandboxLauncher | PlainLauncher) -> None:
    with compiled(C_BOT) as native:
        report = duel(launcher, native, native)
    assert report.forfeits == ()
    assert all(seat.strikes == () for seat in report.seats)


def test_threads_of_a_program_in_c_wait_for_each_other(sandbox_launcher: SandboxLauncher) -> None:
    with compiled(C_THREADS) as native:
        process = sandbox_launcher.start(native, Limits())
        assert stop(process, patience_ms=20_000) == (0, "3200 16 -1")


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("-static",)], ids=["shared", "static"])
def test_threads_of_a_program_in_cpp_wake_each_other(sandbox_launcher: SandboxLauncher, more: tuple[str, ...]) -> None:
    with compiled(CPP_THREADS, ("g++", "-std=c++20", *more), "bot.cpp") as native:
        process = sandbox_launcher.start(native, Limits())
        assert stop(process, patience_ms=20_000) == (0, "2000 42")


def test_stderr_is_kept_to_its_last_64_kib(launcher: SandboxLauncher | PlainLauncher) -> None:
    chatty = HONEST.replace("for line", "sys.stderr.write('first\\n' + 'x' * 200_000 + '\\nlast\\n')\nfor line")
    with program(chatty) as bot:
        report = duel(launcher, bot, HouseProgram("random"))
    assert report.forfeits == ()
    assert len(report.seats[0].stderr_tail) == 65_536
    assert report.seats[0].stderr_tail.endswith("x\nlast\n")


def test_a_crash_is_reported_with_its_traceback_and_exit_status(launcher: SandboxLauncher | PlainLauncher) -> None:
    with program("1 / 0") as bot:
        report = duel(launcher, bot, HouseProgram("random"))
    assert [(forfeit.seat, forfeit.reason) for forfeit in report.forfeits] == [(0, "exit")]
    assert "ZeroDivisionError" in report.seats[0].stderr_tail
    assert report.seats[0].exit_status == 1


def test_modules_next_to_the_bot_can_be_imported(launcher: SandboxLauncher | PlainLauncher) -> None:
    with program("import other, sys; sys.stderr.write(other.word)\n" + HONEST, **{"other.py": "word = 'found'"}) as bot:
        assert duel(launcher, bot, HouseProgram("random")).seats[0].stderr_tail == "found"


def test_the_memory_limit_is_the_one_of_the_game(launcher: SandboxLauncher | PlainLauncher) -> None:
    hungry = (
        "import sys\ntry:\n    bytearray(200 << 20)\nexcept MemoryError:\n    sys.stderr.write('no more')\n" + HONEST
    )
    with program(hungry) as bot:
        small = duel(launcher, bot, HouseProgram("random"), limits=Limits(memory_mb=150))
        large = duel(launcher, bot, HouseProgram("random"), limits=Limits(memory_mb=400))
    assert small.seats[0].stderr_tail == "no more"
    assert large.seats[0].stderr_tail == ""


@pytest.mark.parametrize("when", ['if message["type"] == "hello"', 'if message.get("id") == 3'])
def test_memory_that_no_limit_on_data_counts_is_limited_too(
    launcher: SandboxLauncher | PlainLauncher, when: str
) -> None:
    hungry = HONEST.replace(
        "    message = json.loads(line)\n", f"    message = json.loads(line)\n    {when}: read_only(300)\n"
    )
    limits = Limits(startup_ms=20_000, move_ms=20_000, game_ms=40_000, memory_mb=150)
    with program(READ_ONLY + hungry) as bot:
        small = duel(launcher, bot, HouseProgram("random"), limits=limits)
        large = duel(launcher, bot, HouseProgram("random"), limits=replace(limits, memory_mb=600))
    (forfeit,) = small.forfeits
    assert (forfeit.seat, forfeit.reason) == (0, "memory")
    assert "150 MiB" in forfeit.evidence
    assert not small.play_again
    assert not large.forfeits


def test_arguments_reach_the_bot(launcher: SandboxLauncher | PlainLauncher) -> None:
    with program("import sys; sys.stderr.write(' '.join(sys.argv[1:]))\n" + HONEST) as bot:
        own_program = LocalProgram(bot.folder, ("margin=2.5", "--x"))
        assert duel(launcher, own_program, HouseProgram("random")).seats[0].stderr_tail == "margin=2.5 --x"


def test_a_plain_process_knows_only_where_packages_are_and_has_no_power_under_root(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interpreter, "packages", tuple)  # as on a host without NumPy
    source = (
        "import os, sys; sys.stderr.write(f'{sorted({*os.environ} - {\"LC_CTYPE\"})} {os.getuid()} {os.getgroups()}')"
    )
    with program(source) as bot:
        _, output = stop(PlainLauncher().start(bot, Limits()))
    assert output.startswith("['PYTHONPATH'] ")
    if os.geteuid() == 0:
        assert output.split()[-1] == "[]"
        assert int(output.split()[-2]) > 60_000


def test_a_plain_process_takes_what_it_started_along() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root knows a seat's processes by their user")
    source = "import os, sys\nif os.fork() == 0:\n    os.setsid()\nelse:\n    os.write(2, b'up')\nsys.stdin.read()"
    with program(source) as bot:
        process = PlainLauncher().start(bot, Limits())
        channel = open_channel(process)
        while not channel.stderr_tail():
            channel.take(channel.wait(SECOND_NS))
        process.stop()
        while channel.stderr_open:
            channel.take(channel.wait(SECOND_NS))
        channel.close()


def test_a_world_that_cannot_be_made_is_the_platforms_failure_and_no_forfeit(sandbox_launcher: SandboxLauncher) -> None:
    real = find_bubblewrap()
    for wrong in (f"{real} --ro-bind /nonexistent /x", f"{real} --no-such-option"):
        with folder_of({"bwrap": f'#!/bin/sh\nexec {wrong} "$@"\n'}) as folder:
            with pytest.raises(PlatformFailure, match="bubblewrap") as failure:
                duel(SandboxLauncher(bwrap=folder / "bwrap"), HouseProgram("random"), HouseProgram("random"))
            assert "nonexistent" in str(failure.value) or "Unknown option" in str(failure.value)


def test_seats_of_one_game_are_different_users_under_root(sandbox_launcher: SandboxLauncher) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root has users to give")
    processes = [sandbox_launcher.start(HouseProgram("random"), Limits()) for _ in range(5)]
    owners = {Path(f"/proc/{process.pid}").stat().st_uid for process in processes}
    for process in processes:
        stop(process)
    assert len(owners) == 5
    assert min(owners) > 60_000


def test_every_start_has_another_hash_seed_random_seed_and_address_layout(sandbox_launcher: SandboxLauncher) -> None:
    tell = "import random, sys\nsys.stderr.write(f'{hash(\"block\")} {random.random()} {id(object())}')"
    with program(tell) as bot:
        output = [stop(sandbox_launcher.start(bot, Limits()))[1].split() for _ in range(3)]
    for column in zip(*output, strict=True):
        assert len(set(column)) == 3


def test_nothing_is_left_of_a_game(launcher: SandboxLauncher | PlainLauncher) -> None:
    with nothing_is_left():
        duel(launcher, HouseProgram("random"), HouseProgram("random"))
