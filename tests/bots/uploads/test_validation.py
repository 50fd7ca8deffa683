from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any, Final

import orjson
import pytest
from django.conf import settings as site
from django.utils import timezone

from bots.models import BotVersion
from bots.protocol import Limits
from bots.runner import FakeProgram, Process, Program
from bots.runner.launcher import NoCoreFree, PlatformFailure
from bots.sandbox import InProcessLauncher, SandboxLauncher
from bots.starter_kits import starting_kit
from bots.uploads.attempt import BREAKS, FILE_LOST, SITE_FAILED, TOO_BUSY
from bots.uploads.queue import LEASE, claim
from bots.uploads.storage import uploads
from bots.uploads.upload import upload_new_bot, upload_version
from bots.validation import MOST_TRIES
from esr_platform.accounts.errors import TooMany
from esr_platform.accounts.models import User
from games.registry import GAMES
from games.rules import Document
from ladder.validations import validate_next
from tests.bots.elf import program
from tests.bots.uploads.brought import DUEL, DUEL_ONLY, HONEST, check, honest, uploaded, zipped

pytestmark = pytest.mark.django_db(transaction=True)

CRASHES = b"import sys\nprint('about to go \\0 \\udc80', file=sys.stderr)\nraise SystemExit(3)\n"
ILLEGAL = HONEST.replace(b'message["decision"]["default"]', b"'no\\0 such move'")
NEVER_READY = b"import time\ntime.sleep(100)\n"
CHATTY = b"import sys\nsys.stderr.write('x' * 100_000 + 'the end')\nsys.stderr.flush()\n" + HONEST


class Broken:
    """A launcher on a machine that is out of order, from its ``after``-th start on."""

    def __init__(self, launcher: SandboxLauncher, after: int = 0, error: Exception | None = None) -> None:
        self.launcher, self.left, self.error = launcher, after, error or PlatformFailure("no more processes")

    def start(self, program: Program, limits: Limits) -> Process:
        self.left -= 1
        if self.left < 0:
            raise self.error
        return self.launcher.start(program, limits)


class Watching(Broken):
    """A launcher that notes what a page would show at each start."""

    def __init__(self, launcher: SandboxLauncher) -> None:
        super().__init__(launcher)
        self.seen: list[tuple[str, Any]] = []

    def start(self, program: Program, limits: Limits) -> Process:
        version = BotVersion.objects.get()
        assert version.validation_report is not None
        self.seen.append((version.state, version.validation_report["now"]))
        return self.launcher.start(program, limits)


@pytest.fixture(autouse=True)
def _nothing_unpacked() -> Iterator[None]:
    yield
    shutil.rmtree(Path(site.VAR_DIR) / "unpacked", ignore_errors=True)


def checked(version: BotVersion, launcher: SandboxLauncher) -> BotVersion:
    done = check(version.pk, launcher)
    assert done is not None, BotVersion.objects.get(pk=version.pk).validation_report
    return done


def waited_long(version: BotVersion) -> None:
    BotVersion.objects.filter(pk=version.pk).update(tried=timezone.now() - timedelta(hours=1))


def test_an_honest_bot_is_ready_and_plays_from_then_on(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    version = uploaded(ada)
    done = validate_next(sandbox_launcher)
    assert done == version
    assert (done.state, done.reason, done.active) == ("ready", "", True)
    assert done.validation_report is not None
    assert done.validation_report["ok"] is True
    assert [(result["game"], result["seats"], result["ok"]) for result in done.validation_report["formats"]] == [
        (DUEL, 2, True)
    ]
    assert done.validation_report["formats"][0]["decisions"] > 10
    assert done.validated is not None
    assert validate_next(sandbox_launcher) is None


@pytest.mark.parametrize("game", GAMES)
def test_a_starting_kit_passes_its_check_unchanged(ada: User, sandbox_launcher: SandboxLauncher, game: str) -> None:
    version = checked(upload_new_bot(ada, "", "kit.zip", starting_kit(game)), sandbox_launcher)
    assert (version.state, version.reason) == ("ready", "")
    assert version.formats == {game: list(GAMES[game].seat_counts)}


def test_a_bot_is_tried_at_every_table_that_it_claims(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    version = checked(uploaded(ada, games=None), sandbox_launcher)
    assert version.state == "ready"
    tables = [(result["game"], result["seats"]) for result in (version.validation_report or {})["formats"]]
    assert tables == [(game.slug, seats) for game in GAMES.values() for seats in game.seat_counts]


def test_the_page_can_show_which_table_is_being_played(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    uploaded(ada, games={"edel-stein-reich": [3, 4]})
    watching = Watching(sandbox_launcher)
    validate_next(watching)
    at = [{"game": "edel-stein-reich", "seats": seats} for seats in (3, 4)]
    seen = [(state, {key: now[key] for key in ("game", "seats")}) for state, now in watching.seen]
    assert seen == [("checking", at[0])] * 3 + [("checking", at[1])] * 4
    assert all(now["try"] == 1 for _, now in watching.seen)


@pytest.mark.parametrize(
    ("source", "reason", "evidence"),
    [
        (CRASHES, "seat 0 (exit)", "about to go"),
        (b"def broken(:\n", "Last line on stderr: SyntaxError: invalid syntax", "SyntaxError"),
        (b"import numpy_is_not_here\n", "seat 0 (exit)", "ModuleNotFoundError"),
        (ILLEGAL, "decision 1 (illegal)", None),
    ],
)
def test_a_bot_that_fails_is_refused_with_the_reason_and_everything_its_owner_needs(
    ada: User, sandbox_launcher: SandboxLauncher, source: bytes, reason: str, evidence: str | None
) -> None:
    version = uploaded(ada, data=source)
    done = check(version.pk, sandbox_launcher)
    assert done is not None
    assert (done.state, done.active) == ("refused", False)
    assert f"{DUEL} with 2 players" in done.reason
    assert reason in done.reason
    assert done.validation_report is not None
    problem = done.validation_report["formats"][0]["problems"][0]
    assert problem["question"]["type"] == ("hello" if evidence else "decide")
    if evidence:
        assert evidence in problem["stderr_tail"]
    else:
        assert "no\\\\x00 such move" in problem["answer"] or "no" in problem["answer"]
        assert done.validation_report["formats"][0]["last_decisions"]


LOOPS: Final = HONEST.replace(b'if message["type"] == "decide":', b'while message["type"] == "decide": pass\n    if 0:')
LOOPS_AT_ONCE: Final = b"while True: pass\n"


@pytest.mark.slow
@pytest.mark.parametrize(("source", "decision"), [(LOOPS, 1), (LOOPS_AT_ONCE, None)])
def test_an_endless_loop_is_rejected_at_its_first_decision_and_the_next_upload_gets_its_turn(
    ada: User, bob: User, sandbox_launcher: SandboxLauncher, source: bytes, decision: int | None
) -> None:
    loop, other = uploaded(ada, data=source, games=None), uploaded(bob)
    for _ in range(12):  # a busy machine may need several attempts
        validate_next(sandbox_launcher)
        waited_long(loop)
        BotVersion.objects.filter(pk=loop.pk, state="undecided").update(retry_at=timezone.now())
        loop.refresh_from_db()
        if loop.state == "refused":
            break
    assert loop.validation_report is not None
    (result,) = loop.validation_report["formats"]
    (problem,) = result["problems"]
    assert (problem["seat"], problem["decision"]) == (0, decision)
    assert len(result["last_decisions"]) == (decision or 0)
    assert len(loop.validation_report["untried"]) == sum(len(game.seat_counts) for game in GAMES.values()) - 1
    allowed_ms = Limits().startup_ms if decision is None else Limits().move_ms + Limits().bank_ms
    assert result["own_ms"] < 1.5 * allowed_ms, "the loop is stopped when its time is over"
    other.refresh_from_db()
    assert other.state == "ready" or validate_next(sandbox_launcher) == other


@pytest.mark.slow
def test_a_bot_that_never_says_ready_is_refused_after_its_time(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    version = checked(uploaded(ada, data=NEVER_READY, games={"edel-stein-reich": [3, 4]}), sandbox_launcher)
    assert version.state == "refused"
    assert "seat 0 (" in version.reason
    assert (version.validation_report or {})["untried"] == [{"game": "edel-stein-reich", "seats": 4}]


def test_what_is_kept_of_a_check_is_bounded(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    version = checked(uploaded(ada, data=CHATTY), sandbox_launcher)
    assert version.state == "ready"
    stderr = (version.validation_report or {})["formats"][0]["stderr"]
    assert len(stderr) <= 4096
    assert stderr.endswith("the end")
    refused = checked(uploaded(ada, "Illegal", CHATTY.replace(HONEST, ILLEGAL), games=None), sandbox_launcher)
    assert refused.state == "refused"
    assert len(orjson.dumps(refused.validation_report)) < 500_000


def test_a_refused_version_never_plays_and_the_former_one_stays(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    first = checked(uploaded(ada), sandbox_launcher)
    second = checked(upload_version(first.bot, "bot.py", CRASHES, DUEL_ONLY), sandbox_launcher)
    assert (second.state, second.active) == ("refused", False)
    assert first.bot.active_version == first
    third = checked(upload_version(first.bot, "bot.py", honest(3), DUEL_ONLY), sandbox_launcher)
    assert first.bot.active_version == third


def test_an_older_version_that_is_ready_later_does_not_take_the_newer_ones_place(
    ada: User, sandbox_launcher: SandboxLauncher
) -> None:
    first = uploaded(ada)
    second = checked(upload_version(first.bot, "bot.py", honest(2), DUEL_ONLY), sandbox_launcher)
    assert checked(first, sandbox_launcher).state == "ready"
    assert first.bot.active_version == second


def test_without_a_sandbox_everything_waits(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    version = uploaded(ada)
    assert check(version.pk, Broken(sandbox_launcher)) is None
    version.refresh_from_db()
    assert (version.state, version.vain_starts, version.lease) == ("checking", 1, None)
    waited_long(version)
    assert checked(version, sandbox_launcher).state == "ready"


def undecided(version: BotVersion) -> BotVersion:
    """The version, which is undecided."""
    version.refresh_from_db()
    assert (version.state, version.lease, version.validated) == ("undecided", None, None)
    return version


def until_retry(version: BotVersion) -> timedelta:
    """How long the break of an undecided version still is."""
    assert version.retry_at is not None
    return version.retry_at - timezone.now()


def after_its_break(version: BotVersion) -> None:
    BotVersion.objects.filter(pk=version.pk).update(retry_at=timezone.now())


@pytest.mark.parametrize("error", [None, OSError(28, "No space left on device")])
def test_after_three_attempts_that_the_site_has_spoiled_a_version_is_undecided_and_tried_again_later(
    ada: User, sandbox_launcher: SandboxLauncher, error: Exception | None
) -> None:
    version = uploaded(ada)
    for _ in range(MOST_TRIES):
        assert check(version.pk, Broken(sandbox_launcher, error=error)) is None
        waited_long(version)
    assert undecided(version).reason == SITE_FAILED
    assert version.validation_report is not None
    assert [attempt["game"] for attempt in version.validation_report["attempts"]] == [DUEL] * MOST_TRIES
    assert check(version.pk, sandbox_launcher) is None, "it has a break"
    after_its_break(version)
    done = checked(version, sandbox_launcher)
    assert (done.state, done.reason, done.retry_at) == ("ready", "", None)


def test_the_breaks_of_an_undecided_version_become_longer(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    version, breaks = uploaded(ada), []
    for _ in range(len(BREAKS) + 1):
        for _ in range(MOST_TRIES):
            assert check(version.pk, Broken(sandbox_launcher)) is None
            waited_long(version)
        breaks.append(until_retry(undecided(version)))
        after_its_break(version)
    for until, stated in zip(breaks, (*BREAKS, BREAKS[-1]), strict=True):
        assert stated - timedelta(minutes=5) < until <= stated


def test_an_undecided_version_can_be_uploaded_again_and_does_not_use_up_the_queue(
    ada: User, sandbox_launcher: SandboxLauncher, settings: Any
) -> None:
    settings.MAX_QUEUED_VALIDATIONS_PER_USER = 1
    version = uploaded(ada)
    BotVersion.objects.update(state="undecided", reason=TOO_BUSY, retry_at=timezone.now() + BREAKS[0])
    uploaded(ada, "Other", honest(2))
    with pytest.raises(TooMany):
        upload_version(version.bot, "bot.py", HONEST, DUEL_ONLY)
    BotVersion.objects.filter(bot__name="Other").update(state="ready")
    again = upload_version(version.bot, "bot.py", HONEST, DUEL_ONLY)
    assert (again.pk, again.state, again.retry_at) == (version.pk, "received", None)
    assert checked(again, sandbox_launcher).state == "ready"


def test_a_newer_version_replaces_an_undecided_one(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    old = uploaded(ada)
    BotVersion.objects.update(state="undecided", reason=TOO_BUSY, retry_at=timezone.now())
    new = upload_version(old.bot, "bot.py", honest(2), DUEL_ONLY)
    assert validate_next(sandbox_launcher) == new
    assert validate_next(sandbox_launcher) is None
    assert undecided(old)


def test_a_lost_worker_counts_as_an_attempt(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    version = uploaded(ada)
    for _ in range(MOST_TRIES):
        assert claim(version.pk) is not None
        BotVersion.objects.update(lease_until=timezone.now() - LEASE)
    assert check(version.pk, sandbox_launcher) is None
    assert undecided(version).reason == SITE_FAILED


def test_a_check_goes_on_where_a_lost_worker_left_it(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    version = uploaded(ada, games={"edel-stein-reich": [3, 4, 5]})
    assert check(version.pk, Broken(sandbox_launcher, after=3)) is None
    version.refresh_from_db()
    assert version.validation_report is not None
    kept = version.validation_report["formats"]
    assert [result["seats"] for result in kept] == [3]
    waited_long(version)
    done = checked(version, sandbox_launcher)
    assert done.state == "ready"
    assert done.validation_report is not None
    assert done.validation_report["formats"][0] == kept[0]
    assert [result["seats"] for result in done.validation_report["formats"]] == [3, 4, 5]


def test_a_late_worker_s_verdict_does_not_count(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    version = uploaded(ada)

    class Overtaken(Broken):
        def start(self, program: Program, limits: Limits) -> Process:
            BotVersion.objects.filter(lease_until__gt=timezone.now()).update(lease_until=timezone.now() - LEASE)
            check(version.pk, sandbox_launcher)
            return self.launcher.start(program, limits)

    assert check(version.pk, Overtaken(sandbox_launcher)) is None
    version.refresh_from_db()
    assert (version.state, version.vain_starts) == ("ready", 0)


def test_a_check_has_so_much_time_and_no_more(ada: User, sandbox_launcher: SandboxLauncher, settings: Any) -> None:
    settings.MAX_VALIDATION_SECONDS = 0
    version = checked(uploaded(ada, games={"edel-stein-reich": [3, 4]}), sandbox_launcher)
    assert version.state == "refused"
    assert "1 of 2 formats" in version.reason


def test_what_is_checked_is_what_the_storage_gives_back(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    version = checked(uploaded(ada, data=honest(500)), sandbox_launcher)
    other = uploaded(ada, "Other", honest(500))
    Path(uploads().path(version.archive)).write_bytes(honest(501))
    assert check(other.pk, sandbox_launcher) is None
    assert undecided(other).reason == FILE_LOST
    upload_version(other.bot, "bot.py", honest(500), DUEL_ONLY)
    assert checked(other, sandbox_launcher).state == "ready"


def test_what_a_power_cut_left_of_an_unpacked_bot_is_unpacked_again(
    ada: User, sandbox_launcher: SandboxLauncher
) -> None:
    version = uploaded(ada, data=honest(600))
    place = Path(site.VAR_DIR) / "unpacked" / version.digest
    place.mkdir(parents=True)
    (place / "bot.py").touch()
    assert checked(version, sandbox_launcher).state == "ready"
    assert (place / "bot.py").read_bytes() == honest(600)


def test_a_storage_out_of_reach_is_waited_for_as_long_as_it_takes(
    ada: User, sandbox_launcher: SandboxLauncher, settings: Any
) -> None:
    version = uploaded(ada)
    working = settings.STORAGES
    gone = {**working["uploads"], "BACKEND": "tests.bots.uploads.brought.Gone"}
    settings.STORAGES = {**working, "uploads": gone}
    for _ in range(MOST_TRIES + 2):
        assert check(version.pk, sandbox_launcher) is None
    settings.STORAGES = working
    assert checked(version, sandbox_launcher).state == "ready"


def test_a_check_that_finds_no_core_waits_as_long_as_it_takes(ada: User, sandbox_launcher: SandboxLauncher) -> None:
    version = uploaded(ada)
    busy = Broken(sandbox_launcher, error=NoCoreFree("no core was free"))
    for _ in range(MOST_TRIES + 2):
        assert check(version.pk, busy) is None
    assert checked(version, sandbox_launcher).state == "ready"


def test_a_long_check_lets_others_in_between_two_tables(
    ada: User, bob: User, sandbox_launcher: SandboxLauncher
) -> None:
    long = uploaded(ada, games={"edel-stein-reich": [3, 4]})
    short = uploaded(bob)
    assert validate_next(sandbox_launcher) is None
    assert (validate_next(sandbox_launcher), validate_next(sandbox_launcher)) == (short, long)


class LateAtFirst:
    """A launcher on a machine that makes the first start late."""

    def __init__(self) -> None:
        self.starts = 0

    def start(self, program: object, limits: Limits) -> Process:
        self.starts += 1
        first = self.starts == 1

        def play(message: Document) -> Any:
            if message["type"] == "hello" and first:
                Event().wait(1.05 * limits.startup_ms / 1000)
            return message["decision"]["default"] if message["type"] == "decide" else None

        return InProcessLauncher().start(FakeProgram(play, run_delay_ns=lambda: first * 10**12), limits)


def test_an_attempt_that_the_machine_has_made_late_never_rejects_and_lets_others_in(ada: User, bob: User) -> None:
    late, launcher = uploaded(ada), LateAtFirst()
    other = uploaded(bob)
    assert validate_next(launcher) is None
    late.refresh_from_db()
    assert launcher.starts == 1, "the attempt ends with the late start"
    assert late.validation_report is not None
    assert (late.state, late.validation_report["ok"], late.validation_report["formats"]) == ("checking", None, [])
    (attempt,) = late.validation_report["attempts"]
    delay = attempt["delay"]
    assert (attempt["game"], delay["seat"], delay["decision"], delay["allowed_us"]) == (DUEL, 0, None, 3_000_000)
    assert delay["machine_delay_us"] > 0
    assert validate_next(launcher) == other
    assert validate_next(launcher) is None, "the next attempt waits until the machine may be idle"
    waited_long(late)
    assert validate_next(launcher) == late
    late.refresh_from_db()
    assert late.state == "ready"
    assert late.validation_report["attempts"] == [attempt], "the lag stays in the report"
    assert late.validation_report["formats"][0]["tries"] == 2


def test_the_third_late_attempt_in_a_row_leaves_the_version_undecided(ada: User) -> None:
    version = uploaded(ada)
    BotVersion.objects.update(vain_starts=MOST_TRIES - 1)
    assert check(version.pk, LateAtFirst()) is None
    assert undecided(version).reason == TOO_BUSY


def test_a_check_of_which_nobody_waits_for_the_end_is_not_interrupted(
    ada: User, sandbox_launcher: SandboxLauncher
) -> None:
    long, other = uploaded(ada, games={"edel-stein-reich": [3, 4]}), uploaded(ada, "Other", data=honest(7))
    assert (validate_next(sandbox_launcher), validate_next(sandbox_launcher)) == (long, other)


def test_a_program_that_cannot_be_executed_is_refused_and_not_taken_for_our_fault(
    ada: User, sandbox_launcher: SandboxLauncher
) -> None:
    manifest = f'language = "executable"\ncommand = ["bot"]\n[games]\n{DUEL} = [2]\n'
    many_segments = program(segments=2000) + bytes(2000 * 56)
    version = upload_new_bot(ada, "Broken", "a.zip", zipped(bot=many_segments, bot__toml=manifest))
    done = checked(version, sandbox_launcher)
    assert done.state == "refused"
    assert "seat 0 (exit)" in done.reason  # execvp then tries a shell, which is not there
    assert "Last line on stderr: bwrap: execvp /bot/bot: No such file" in done.reason
