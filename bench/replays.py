"""Measure the display time and the document size of replays: ``make bench-replay``.

The bench uses games of every format, and one of a thousand steps between bots that always raise by the smallest amount,
on a new database and a real web server. Chromium opens each replay and shows all its steps, one per frame. The cost of
a step includes its layout. The last column is the CPU time per step of the browser process of the page, over all
threads; it does not depend on other load. Sizes are compressed with gzip, as sent: the document, the views without
patches, and the record. The bench never fails.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.databases import inside
from bots.runner.report import MatchReport, SeatReport
from games.record import replay, to_json
from games.registry import GAMES
from games.replays import frames, replay_document
from games.rules import Document, Move, State

if TYPE_CHECKING:
    from ladder.models import Match

LONG = 1000
LONG_AT = "edel-stein-reich-5"
TABLES = ("edel-stein-reich-4", LONG_AT, "edel-stein-reich-duel", "die-weinhaendler-4", "die-weinhaendler-5")
WALK = """async (steps) => {
  const { player } = document.querySelector("game-replay");
  player.go(0, 0);
  const costs = [], frames = [];
  const frame = () => new Promise(requestAnimationFrame);
  let before = await frame();
  for (let ply = 1; ply <= Math.min(steps, player.game.last); ply++) {
    const began = performance.now();
    player.go(ply, 0);
    document.body.offsetHeight;
    costs.push(performance.now() - began);
    const now = await frame();
    frames.push(now - before);
    before = now;
  }
  return { costs, frames };
}"""
DRAWN = """() => {
  const of = (name) => performance.getEntriesByName(name)[0]?.startTime ?? null;
  const page = performance.getEntriesByType("navigation")[0];
  return { drawn: of("replay-drawn"), loaded: page.loadEventEnd, answered: page.responseEnd };
}"""


@dataclass(frozen=True)
class Played:
    """A finished match and what its documents weigh in bytes."""

    name: str
    address: str
    steps: int
    document: int
    views: int
    record: int


def haggled(state: State, seat: int, random: Random, patience: float) -> Move:
    """A random move, but the lowest offer there is as long as ``patience`` lasts."""
    if state.decision_kind == "answer_offer" and random.random() < patience:
        moves = state.numbered_moves(seat)
        if len(moves) > 1:
            return moves[1]
    return state.random_move(seat, random)


def report(match: Match, patience: float) -> MatchReport:
    """A whole game of the deal of ``match``, as a worker would bring it."""
    state = GAMES[match.ladder.game].new(match.ladder.seats, bytes(match.block.seed))
    random = Random(match.pk)
    while state.pending:
        for seat in state.pending:
            state.play(seat, haggled(state, seat, random, patience))
    seats = tuple(SeatReport(f"seat {i}", "00" * 32, 1000, (), (), 0, "") for i in range(match.ladder.seats))
    return MatchReport(state.record, (), seats, (), False, 1000)


def finished(slug: str, patience: float) -> Played:
    """The longest game of a new block of a ladder."""
    from ladder.exports.documents import record_of
    from ladder.matches.leases import claim
    from ladder.matches.results import record_result
    from ladder.models import Ladder, Match
    from tests.build import block_on

    block = block_on(Ladder.objects.get(slug=slug))
    for match in Match.objects.filter(block=block).select_related("ladder", "block"):
        lease = claim(match.pk, "bench")
        assert lease is not None
        record_result(lease, report(match, patience))
    records = [(record_of(match), match.pk) for match in Match.objects.filter(block=block)]
    record, number = _longest(records)
    return weighed(f"{slug}, haggled" if patience else slug, f"/matches/{number}/", record)


def _longest(records: list[tuple[Document | None, int]]) -> tuple[Document, int]:
    return max(((record, pk) for record, pk in records if record), key=lambda pair: len(pair[0]["steps"]))


def weighed(name: str, address: str, record: Document) -> Played:
    views = to_json({"frames": [frame.table for frame in frames(replay(record))]})
    document = to_json(replay_document(record))
    return Played(name, address, len(record["steps"]), *(packed(text) for text in (document, views, to_json(record))))


def packed(text: str) -> int:
    return len(gzip.compress(text.encode(), 9))


@contextmanager
def server() -> Iterator[str]:
    """The site as it is served, with the cache it needs; gives its address."""
    from django.conf import settings

    from esr_platform.supervisor.broker import server_command
    from esr_platform.supervisor.processes import web
    from tests.services.ports import free_port, wait_until

    port = free_port()
    commands = [server_command(Path(settings.VAR_DIR)), web("127.0.0.1", port, {}).arguments]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    try:
        wait_until(lambda: answers(port), "the server answers", seconds=120)
        yield f"http://127.0.0.1:{port}"
    finally:
        for process in running:
            process.terminate()
            process.wait()


def answers(port: int) -> bool:
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/about/", timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def looked_at(browser: Any, address: str, loads: int) -> dict[str, list[float]]:
    """Milliseconds: until it is drawn, after the page has loaded, a step's cost, between two frames."""
    times_ms: dict[str, list[float]] = {"drawn": [], "after": [], "costs": [], "frames": []}
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    for _ in range(loads):
        page.goto(address)
        page.wait_for_function("() => document.querySelector('game-replay.begun')")
        times = page.evaluate(DRAWN)
        times_ms["drawn"].append(times["drawn"])
        times_ms["after"].append(max(0.0, times["drawn"] - times["loaded"]))
    before = used(browser)
    walked = page.evaluate(WALK, LONG)
    own = 1000 * (used(browser) - before) / len(walked["costs"])
    page.close()
    return {**times_ms, **walked, "own": [own]}


def used(browser: Any) -> float:
    """Seconds of processor time of all processes that show pages."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return sum(float(process["cpuTime"]) for process in processes if process["type"] == "renderer")


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def measure(options: argparse.Namespace) -> None:
    """All of it, on the database of DATABASE_URL, which is empty."""
    import django

    django.setup()
    from django.core.management import call_command
    from playwright.sync_api import sync_playwright

    for command in ("migrate", "open_house", "collectstatic"):
        call_command(command, verbosity=0, **({"interactive": False} if command == "collectstatic" else {}))
    games = [*(finished(slug, 0) for slug in TABLES), finished(LONG_AT, 0.995)]
    print(f"{'':38} {'gzip, bytes':>26}  Display, ms   Step, ms     Frames, ms    ms")
    print(
        f"{'Game':32} {'Steps':>5} {'Document':>9} {'Views':>8} {'Record':>7}   best  med   step  p99  frame  p99   own"
    )
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with server() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        for game in games:
            print(row(game, looked_at(browser, site + game.address, options.loads)), flush=True)
        browser.close()


def row(game: Played, seen: dict[str, list[float]]) -> str:
    sizes = f"{game.name:32} {game.steps:5} {game.document:9,} {game.views:8,} {game.record:7,}"
    drawn = f"{min(seen['drawn']):6.0f} {median(seen['drawn']):5.0f}"
    cost = f"{median(seen['costs']):6.2f} {percentile(seen['costs'], 0.99):5.1f}"
    frames = f"{median(seen['frames']):8.1f} {percentile(seen['frames'], 0.99):5.1f}"
    return f"{sizes} {drawn} {cost} {frames} {seen['own'][0]:8.1f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--loads", type=int, default=5)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        measure(options)
        return 0
    return inside("bench.replays", "sqlite", sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
