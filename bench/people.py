"""Measure players and spectators on a small site: ``python -m bench.people [--short]``.

The bench runs the real processes of the site (web, streams, default, beat), on SQLite and PostgreSQL. One other process
(``bench.visitors``) acts as all clients, and the bench prints its CPU time next to the server's. Signed-in people play
rated games at 100 tables, with one move every two seconds at each table. Players who finish a game begin the next one.
500 spectators watch. A
running game becomes public round by round, so one event per second needs a table that plays one round per second. Two
more tables do this (``--watched``), and half of the spectators watch each of them. Spectators are also notified of
their number whenever it changes. 100 visitors look at the lobby, which changes every five seconds.

The bench measures, after all have come and the watched games have ended once:

- the time from sending a move until its response arrives
- the time until the event that shows the move arrives at each seat of the table
- the time from sending the move that begins a round until the previous round arrives at each spectator
- the size of what the events of rounds and of the lobby bring to pages
- the CPU time of web and stream processes per move, per event and client, and per page
- the same per move if a bare view played the moves (``bench.bare_moves``)
- whether each log arrives without gaps and duplicates (by the places of its entries) and whole (by the game's record)
- the memory of the web server and the worker

With ``--quota CORES``, the web processes together may use only this part of a core after the opening: pages must wait
or be refused, and at most 1% of the moves are.

The games have no veiled moves, so no event is delayed on purpose. Rate limits do not apply (``bench.settings``),
because a player who plays one round per second sends more requests than people may. The bench fails only if its CPU
times cannot be right (``bench.cpu_time``).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Any

from bench.bare_moves import measured
from bench.databases import on_each
from bench.quotas import cpu_quota
from bench.remote_play import DUEL, GAME, PACE_S, Look, show_clients, show_parts, site, web_and_streams_s

if TYPE_CHECKING:
    from esr_platform.accounts.models import User
    from ladder.models import Ladder

TOLD_MS = 250
MOVES_MS = 200
OVERLOADED_MS = 1000
"""Limit for moves with ``--quota``."""
REFUSALS = (429, 500, 503)
HURRY_S = 0.22
"""Between two moves at the tables that are watched: a round of the duel has about four."""

SHORT = {"tables": 20, "spectators": 100, "visitors": 50, "seconds": 40}


def person(name: str) -> User:
    """Somebody new who may play for a rating."""
    from allauth.account.models import EmailAddress

    from esr_platform.accounts.models import User

    user = User.objects.create(username=name, email=f"{name}@example.org")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def session(user: User) -> str:
    """A session in which they have signed in."""
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def table(number: int, ladder: Ladder, pace_s: float) -> dict[str, Any]:
    """A rated game among new people, who meet by a link; as ``bench.visitors`` wants it."""
    from ladder.matchmaking.proposals import create_game, join

    people = [person(f"player{number}-{seat}") for seat in range(ladder.seats)]
    offered = create_game(people[0], ladder, rated=True, kind="link")
    for player in people[1:]:
        offered = join(offered.token, player)
    return {"game": offered.match_id, "pace_s": pace_s, "sessions": [session(person) for person in people]}


def company(options: argparse.Namespace) -> dict[str, Any]:
    """Everybody who comes: the tables that are watched first."""
    from ladder.models import Ladder

    people = Ladder.objects.filter(players=Ladder.Players.PEOPLE)
    usual = duel() if options.seats == 2 else people.get(game=GAME, seats=options.seats)
    tables = [table(number, duel(), HURRY_S) for number in range(options.watched)]
    tables += [table(options.watched + number, usual, PACE_S) for number in range(options.tables)]
    spectators = [
        {"table": number % options.watched, "address": f"10.9.{number // 250}.{1 + number % 250}"}
        for number in range(options.spectators)
    ]
    addresses = [f"10.8.{number // 250}.{1 + number % 250}" for number in range(options.visitors)]
    slow = people.get(game=GAME, seats=4)
    lobby = {"addresses": addresses, "session": session(person("searching")), "ladder": slow.slug}
    return {"tables": tables, "spectators": spectators, "lobby": lobby}


def run(options: argparse.Namespace) -> tuple[dict[str, Any], list[Look]]:
    """Start the site, let everybody come, and look at it all the while."""
    out = Path(os.environ["VAR_DIR"]) / "visited.json"
    with site(options.webs, options.streams, DJANGO_SETTINGS_MODULE="bench.settings") as running:
        bare = measured(table(-1, duel(), PACE_S)["game"])
        who = json.dumps({**company(options), "ports": running.ports})
        command = [sys.executable, "-m", "bench.visitors", str(options.seconds), str(out)]
        with cpu_quota(running.pids("web"), options.quota, out.with_suffix(".opened")):
            looks = running.watch(command, who)
    return {**json.loads(out.read_text()), "bare": bare}, looks


def duel() -> Ladder:
    """The ladder of people for two players."""
    from ladder.models import Ladder

    return Ladder.objects.get(players=Ladder.Players.PEOPLE, game=DUEL)


def not_whole(ends: list[list[Any]]) -> int:
    """How many readers of a game that has ended were told another number of entries than there are."""
    from ladder.live.rows import position_of
    from ladder.live.visibility import ended
    from ladder.models import Match

    lengths = {}
    for match in Match.objects.filter(pk__in={game for game, *_ in ends}, status="finished"):
        lengths[match.pk] = len(ended(position_of(match))[0].entries(None))
    return sum(lengths.get(game) != entries for game, _, entries in ends)


def timed(what: str, report: dict[str, Any], kind: str, goal_ms: int) -> str:
    """A line on how long it took, after the opening."""
    took = sorted(ms for at_s, ms in report[kind] if at_s >= report["costs"][0]["at_s"])
    if len(took) < 2:
        return f"  {what}: {len(took)}, too few for quantiles"
    cuts = quantiles(took, n=1000)
    verdict = "met" if cuts[989] <= goal_ms else f"MISSED (limit: {goal_ms} ms)"
    return (
        f"  {what}: {len(took)}, p50 {cuts[499]:.0f}, p90 {cuts[899]:.0f}, p99 {cuts[989]:.0f}: {verdict};"
        f" p99.9 {cuts[998]:.0f}, slowest {took[-1]:.0f} ms"
    )


def show_pages(report: dict[str, Any]) -> float:
    """Print what each view has cost per request after the opening, dearest first. Returns their CPU seconds."""
    before, after = (costs["views"] for costs in report["costs"])
    used = {
        view: {name: number - before.get(view, {}).get(name, 0) for name, number in cost.items()}
        for view, cost in after.items()
    }
    for view, cost in sorted(used.items(), key=lambda row: -row[1]["cpu_s"]):
        if cost["requests"]:
            each_ms = 1000 * cost["cpu_s"] / cost["requests"]
            print(f"  page {view}: {cost['requests']:.0f} requests, {each_ms:.2f} ms of CPU per request")
    total_s: float = sum(cost["cpu_s"] for cost in used.values())
    return total_s


def show_costs(report: dict[str, Any], streams: float) -> None:
    """Print the CPU time of the web server after the opening per page and per move.

    ``streams`` is the share of a core that the stream processes used. Print also what they used per event and client.
    """
    pages_s = show_pages(report)
    opening, closing = report["costs"]
    span = closing["at_s"] - opening["at_s"]
    threads = {name: used_s - opening["threads"].get(name, 0.0) for name, used_s in closing["threads"].items()}
    live = {name: threads.get(name, 0.0) for name in ("MainThread", "live-reader", "live-writer")}
    parts = ", ".join(f"{name} {used_s / span:.0%}" for name, used_s in live.items())
    print(f"  threads of the web processes: {parts}, pages {pages_s / span:.0%} of a core")
    moves = sum(opening["at_s"] <= at_s < closing["at_s"] for at_s, _ in report["moves"])
    events = sum(count for at_s, count in report["events"].items() if opening["at_s"] <= int(at_s) < closing["at_s"])
    move_ms = 1000 * sum(live.values()) / max(1, moves)
    streams_ms = 1000 * streams * span / max(1, events)
    print(
        f"  web processes without pages: {move_ms:.2f} ms of CPU per move ({moves / span:.1f} moves/s); stream"
        f" processes: {streams_ms:.3f} ms per event and client ({events / span:.0f} events/s)"
    )
    played_ms, bare_ms = report["bare"]
    whole_ms, writer_ms = move_ms + 1000 * streams * span / max(1, moves), 1000 * live["live-writer"] / max(1, moves)
    print(
        f"  a move alone in a process: {played_ms:.2f} ms of CPU, its statements and message: {bare_ms:.2f} ms; with"
        f" HTTP and streams {whole_ms:.2f} ms, at most {whole_ms / (whole_ms - writer_ms + bare_ms):.2f} times a bare"
        " view, which needs nothing else in threads of writers"
    )


def show(options: argparse.Namespace, report: dict[str, Any], looks: list[Look]) -> None:
    """The figures of one run."""
    from ladder.models import Match, PlayedMove

    print(
        f"\n{options.inside}, {options.tables} tables of {options.seats} players, {options.watched} more tables with"
        f" {options.spectators} spectators, {options.seconds} s after {report['costs'][0]['at_s']:.0f} s of opening"
    )
    print(timed("moves answered", report, "moves", OVERLOADED_MS if options.quota else MOVES_MS))
    refused = sum(count for status, count in report["answers"].items() if int(status) in REFUSALS)
    print(f"  moves refused: {refused} ({refused / max(1, sum(report['answers'].values())):.1%})")
    print(timed("moves shown at seats", report, "shown", TOLD_MS))
    print(timed("rounds shown to spectators", report, "rounds", TOLD_MS))
    first, last = show_parts(looks, report["costs"][0]["at_s"])
    span = last.at_s - first.at_s
    rates = {
        kind: sum(count for second, count in by_second.items() if first.at_s <= int(second) < last.at_s)
        / (span * options.spectators)
        for kind, by_second in report["counts"].items()
    }
    parts = ", ".join(f"{rate:.2f} {kind}" for kind, rate in sorted(rates.items()))
    show_clients("the visitors", report)
    print(f"  {sum(rates.values()):.2f} events per second and spectator: {parts}")
    told = report["told_rounds"] + report["told_lobby"]
    print(
        f"  {report['told_rounds']} rounds for spectators and {report['told_lobby']} changes of the lobby for visitors,"
        f" without requests, {report['parts'] / max(1, told):,.0f} characters of HTML each"
    )
    statuses = {
        kind: {name: number for name, number in asked.items() if name.isdigit()}
        for kind, asked in report["pages"].items()
    }
    print(f"  pages opened by status: {statuses}")
    spent_s = web_and_streams_s(first, last)
    streams_s = sum(last.used_s[name] - first.used_s[name] for name in last.used_s if name.startswith("streams"))
    show_costs(report, streams_s / span)
    ends = report["ends"]
    print(
        f"  log entries lost: {report['lost']}, duplicated: {report['doubled']}; streams reopened:"
        f" {report['opened_again']}"
    )
    watched = sum(spectator for _, spectator, _ in ends)
    print(f"  complete logs: {len(ends)}, {watched} of them of spectators, with gaps: {not_whole(ends)}")
    games = {status: Match.objects.filter(status=status).count() for status in ("finished", "running", "void")}
    faults = PlayedMove.objects.exclude(default="").count()
    decided = [at_s for at_s, _ in report["moves"] if first.at_s <= at_s < last.at_s]
    print(
        f"  {len(decided) / span:.0f} moves/s, {1000 * spent_s / max(1, len(decided)):.1f} ms CPU time of web and"
        " stream processes per move, including pages"
    )
    print(f"  responses to moves by status: {report['answers']}; default moves: {faults}; games {games}")
    print(f"  errors: {len(report['broken'])} {report['broken'][:3]}")
    print(f"  load average at the end: {' '.join(f'{load:.1f}' for load in os.getloadavg())}")


def measure(options: argparse.Namespace) -> None:
    """One database, the one of DATABASE_URL, which is empty."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("open_house", verbosity=0)
    if options.short:
        vars(options).update(SHORT)
    show(options, *run(options))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seats", type=int, default=2, choices=(2, 3, 4))
    parser.add_argument("--spectators", type=int, default=500)
    parser.add_argument("--visitors", type=int, default=100, help="number of lobby visitors (default: 100)")
    parser.add_argument(
        "--watched", type=int, default=2, help="number of tables that play one round per second (default: 2)"
    )
    parser.add_argument("--seconds", type=int, default=600, help="seconds after all have come (default: 600)")
    parser.add_argument("--webs", type=int, default=1, help="number of web processes (default: 1)")
    parser.add_argument("--streams", type=int, default=1, help="number of stream processes (default: 1)")
    parser.add_argument("--quota", type=float, help="cores of all web processes after the opening (default: no limit)")
    parser.add_argument("--short", action="store_true", help="short run with smaller numbers, about one minute")
    return on_each("bench.people", parser, measure)


if __name__ == "__main__":
    sys.exit(main())
