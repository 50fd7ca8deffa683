"""Actions for races on ladders, matches and live tables. ``tests.services.races`` runs them."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeVar
from uuid import UUID

import orjson
from django.db import transaction

from bots.client import Problem
from bots.models import Bot
from bots.worker.host import HostProcess
from bots.worker.play import Play
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.corrections import change_k, void, withdraw
from ladder.creation import open_house
from ladder.estimates import estimate_due
from ladder.ledger.entries import NoSeason
from ladder.ledger.rebuild import rerate
from ladder.live.answers import answer
from ladder.live.end import finish
from ladder.live.end import void as void_table
from ladder.live.hosted import ask_seat
from ladder.live.sweep import sweep_tables
from ladder.matches.leases import claim, give_back, lease_of, renew
from ladder.matches.pauses import resume
from ladder.matches.play import play
from ladder.matches.results import record_result
from ladder.matches.schedule import fill
from ladder.members.memberships import activate, join, leave, restore, retire
from ladder.models import Attempt, Block, DealSeries, Estimate, Estimation, Ladder, Match, PlayedMove, Season
from ladder.ratings.elo import KFactor
from ladder.seasons import WrongMoment, close, open_first
from ladder.upkeep import sweep
from tests.build import report_of
from tests.ladder.hosts import SITE, asked, client_of, packed_report, send_all
from tests.ladder.live.hosted import Fakes, default
from tests.ladder.live.play import decide_event, table_of
from tests.services.races import Act, Actions

T = TypeVar("T")


def or_none(do: Callable[[], T]) -> T | None:
    """What ``do`` gives, or nothing where it is refused."""
    try:
        return do()
    except Refused:
        return None


def claiming(matches: list[int], host: str = "") -> Act:
    """Claim matches, or let ``host`` ask for one until it gets none; which it got."""
    if not host:
        return lambda: [match for match in matches if claim(match, "racing")]
    client = client_of(host)

    def act() -> list[int]:
        send_all()  # the race may have begun long after the scheduler sent the matches
        return [int(given["match"]) for given in iter(lambda: asked(client), None)]

    return act


def recording(leases: list[tuple[int, str]], variety: int, forfeit: str = "", host: str = "") -> Act:
    """Bring a result for every lease, in which seat 0 forfeits, if by anything; which of them counted.

    The results that ``host`` brings over the API are those that the site says it has stored, also before.
    """
    if host:
        client = client_of(host)
        reports = {match: packed_report(_report(match, variety, forfeit)) for match, _ in leases}
        sent = [(match, f"matches/{match}/{token}", reports[match]) for match, token in leases]
        return lambda: [match for match, token, data in sent if _unless_gone(partial(client.bring, token, data))]
    brought = [(lease_of(match, UUID(token)), _report(match, variety, forfeit)) for match, token in leases]
    return lambda: [lease.pk for lease, report in brought if record_result(lease, report)]


def dying(match: int, token: str) -> Act:
    """Bring a result, and be killed before it is committed."""
    report = _report(match, 0)

    def act() -> None:
        with transaction.atomic():
            assert record_result(lease_of(match, UUID(token)), report)
            os.kill(os.getpid(), signal.SIGKILL)

    return act


def playing(matches: list[int], variety: int, host: str = "") -> Act:
    """Play every match there is to claim; how each attempt ended, or for a ``host`` how many it played."""
    if host:
        runner: Play = lambda spec, _: _report(int(spec.match), variety)  # noqa: E731
        process = HostProcess(client_of(host), SITE, Path("/nowhere"), runner=runner)
        return lambda: sum(iter(process.play_next, False))
    return lambda: [play(match, lambda spec, _: _report(int(spec.match), variety)) for match in matches]


def renewing(leases: list[tuple[int, str]], host: str = "") -> Act:
    """Renew every lease; which of them were still there."""
    if host:
        client = client_of(host)
        return lambda: [match for match, token in leases if client.renew(f"matches/{match}/{token}")]
    return lambda: [match for match, token in leases if renew(lease_of(match, UUID(token)))]


def giving_back(leases: list[tuple[int, str]]) -> Act:
    """Give every match back as one that could not be played; which of them were still there."""
    given = [lease_of(match, UUID(token)) for match, token in leases]
    return lambda: [lease.pk for lease in given if give_back(lease, Attempt.Ending.FAILED, "broken")]


def watching(times: int) -> Act:
    """Look again and again for blocks that are open while a game of theirs is not over; every one that was seen."""
    early = Block.objects.filter(ended__isnull=False, matches__status__in=Match.PENDING)
    return lambda: [pk for _ in range(times) for pk in early.values_list("pk", flat=True)]


def opening_seasons(times: int) -> Act:
    ladders = list(Ladder.objects.order_by("pk"))

    def act() -> None:
        for ladder in ladders * times:
            open_first(ladder)

    return act


def closing(seasons: list[int]) -> Act:
    """Close seasons; which of them nobody else had closed."""
    rows = list(Season.objects.filter(pk__in=seasons).select_related("ladder").order_by("pk"))

    def closed(season: Season) -> bool:
        try:
            close(season)
        except WrongMoment:
            return False
        return True

    return lambda: [season.pk for season in rows if closed(season)]


def estimating(times: int) -> Act:
    """Compute the estimates again and again, as if there were always something new."""

    def act() -> int:
        done = 0
        for _ in range(times):
            Estimation.objects.filter(lease=None).update(head="", computed=None)
            done += estimate_due()
        return done

    return act


def reading_estimates(times: int, season: int) -> Act:
    """Read the estimates again and again: how many there were, and of how many runs."""

    def act() -> list[tuple[int, int]]:
        reads = [list(Estimate.objects.filter(season=season).values_list("computed", flat=True)) for _ in range(times)]
        return sorted({(len(read), len(set(read))) for read in reads})

    return act


def sweeping(times: int) -> Act:
    return lambda: sum(sweep() for _ in range(times))


def checking(times: int) -> Act:
    """Check the ratings again and again; every difference found."""
    return lambda: [d for _ in range(times) for rebuild in rerate(check=True) for d in rebuild.differences]


def voiding(matches: list[int], by: int) -> Act:
    """Take back the result of every match; which of them this one did."""
    staff = User.objects.get(pk=by)
    return lambda: [match for match in matches if not _refused(partial(void, match, "a race", staff))]


def withdrawing(matches: list[int], by: int) -> Act:
    """End every match that has not ended; which of them this one did."""
    staff = User.objects.get(pk=by)
    return lambda: [match for match in matches if not _refused(partial(withdraw, match, "a race", staff))]


def changing_k(ladder: int, ks: list[int], by: int) -> Act:
    """Set one K after the other; which of them this one did."""
    staff, row = User.objects.get(pk=by), Ladder.objects.get(pk=ladder)
    return lambda: [k for k in ks if not _refused(partial(change_k, row, KFactor(k, k), "a race", staff))]


def _refused(correct: Callable[[], Any]) -> bool:
    try:
        correct()
    except Refused:
        return True
    return False


def repairing(times: int) -> Act:
    """Write what differs again and again; every difference found."""
    return lambda: [d for _ in range(times) for rebuild in rerate(check=False) for d in rebuild.differences]


def owning(bot: int, times: int) -> Act:
    """Do what an owner can do to a bot, again and again; at the end it plays everywhere, by its newest version."""
    row = Bot.objects.get(pk=bot)
    newest, oldest = row.versions.order_by("-number")[0], row.versions.get(number=1)
    ladders = list(Ladder.objects.filter(memberships__bot=row))

    def act() -> None:
        for _ in range(times):  # the same owner may act in two windows, so each step may be refused
            or_none(partial(activate, oldest))
            for ladder in ladders:
                or_none(partial(leave, row, ladder))
            or_none(partial(retire, row))
            or_none(partial(restore, row))
            or_none(partial(activate, newest))
            for ladder in ladders:
                or_none(partial(join, row, ladder))
            or_none(partial(resume, row))

    return act


def answering(match: int, bot: int, decision: int, moves: list[Any]) -> Act:
    """Send one answer after the other to one decision of a live game; what was said to each."""
    bodies = [orjson.dumps({"move": move}) for move in moves]
    return lambda: [str(answer(match, bot, decision, body).verdict) for body in bodies]


def playing_live(match: int, bot: int, seed: int) -> Act:
    """Play a seat of a live game to its end, every answer twice; what was said to the answers, and how often."""
    random = Random(seed)

    def act() -> dict[str, int]:
        verdicts: Counter[str] = Counter()
        while Match.objects.filter(pk=match, status="running", table__over=False).exists():
            event = decide_event(match, bot)
            if event is not None:
                decision = event["message"]["decision"]
                body = orjson.dumps({"move": random.choice(decision["legal"] or [decision["default"]])})
                for _ in range(2):
                    verdicts[answer(match, bot, event["decision"], body).verdict.value] += 1
        return dict(verdicts)

    return act


def sweeping_tables(times: int) -> Act:
    return lambda: sum(sweep_tables() for _ in range(times))


def opening_tables(ladder: int, bots: list[int], rated: bool, times: int) -> Act:
    """Begin live games of these bots, seated as given, where a season is open; which matches they are."""
    where, seated = Ladder.objects.get(pk=ladder), [Bot.objects.get(pk=bot) for bot in bots]

    def begun() -> list[int]:
        try:
            return [table_of(where, seated, rated=rated).pk]
        except NoSeason:
            return []

    return lambda: [match for _ in range(times) for match in begun()]


def voiding_tables(matches: list[int]) -> Act:
    """End live games without a result; which of them this one did."""
    return lambda: [match for match in matches if void_table(match, "a race")]


def watching_keys(times: int) -> Act:
    """Look again and again for keys that are published while a game of their series is not over; all that were seen."""
    early = DealSeries.objects.filter(published__isnull=False, blocks__matches__status__in=Match.PENDING)
    return lambda: [pk for _ in range(times) for pk in early.values_list("pk", flat=True)]


def finishing(matches: list[int]) -> Act:
    """Bring the results of live games; which of them this one did."""
    return lambda: [match for match in matches if finish(match)]


def waking(match: int, rounds: int) -> Act:
    """Ask every seat of a live game again and again, as workers ask hosted ones; how often that counted."""
    asked = _asked(match)
    return lambda: sum(asked() for _ in range(rounds))


def waking_until(match: int, moves: int, host: str = "") -> Act:
    """Do the same until the game has at least ``moves`` moves, also as a ``host``, which asks for work."""
    asked = _asked(match)
    if host:
        process = HostProcess(client_of(host), SITE, Path("/nowhere"), kinds=["live"], launcher=Fakes(default))
        asked = lambda: int(process.play_next())  # noqa: E731

    def act() -> int:
        counted = 0
        while PlayedMove.objects.filter(match=match).count() < moves:
            counted += asked()
        return counted

    return act


def _asked(match: int) -> Callable[[], int]:
    seats = Match.objects.select_related("ladder").get(pk=match).ladder.seats
    launcher = Fakes(default)
    return lambda: sum(ask_seat(match, seat, launcher=launcher) for seat in range(seats))


def _unless_gone(call: Callable[[], str]) -> bool:
    """Whether the site accepts a result of a host, and does not say that the lease is gone."""
    try:
        return call() == "finished"
    except Problem as problem:
        if not problem.code.startswith("lease_"):
            raise
        return False


ACTIONS: Actions = {
    "waking": waking,
    "waking_until": waking_until,
    "claiming": claiming,
    "answering": answering,
    "playing_live": playing_live,
    "sweeping_tables": sweeping_tables,
    "finishing": finishing,
    "opening_tables": opening_tables,
    "voiding_tables": voiding_tables,
    "watching_keys": watching_keys,
    "recording": recording,
    "dying": dying,
    "giving_back": giving_back,
    "playing": playing,
    "watching": watching,
    "opening_seasons": opening_seasons,
    "closing": closing,
    "renewing": renewing,
    "estimating": estimating,
    "reading_estimates": reading_estimates,
    "sweeping": sweeping,
    "checking": checking,
    "voiding": voiding,
    "withdrawing": withdrawing,
    "changing_k": changing_k,
    "repairing": repairing,
    "owning": owning,
    "filling": lambda: fill,
    "opening": lambda: open_house,
}


def _report(match: int, variety: int, forfeit: str = "") -> Any:
    forfeits = {0: forfeit} if forfeit else {}
    return report_of(Match.objects.select_related("ladder").get(pk=match), variety=variety, forfeits=forfeits)
