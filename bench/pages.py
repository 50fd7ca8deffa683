"""Load each type of page on a throttled phone and check its weight: ``make bench-pages``.

Chromium loads the pages of a new site from a real web server: 360 × 780 pixels, the CPU four times slower, 1.6 Mbit/s,
150 ms of latency, an empty cache. Each figure is the median of five loads. Requests and KB are all that a page loads,
as sent. The shift is the sum of all layout shifts. Rounds are the longest chain of requests of which each is known only
after the response before it, up to the drawing. A page is drawn when its board is, or with its largest contentful
paint. The bench exits with 1 if a page exceeds its budget of requests, KB or shift. Times depend on the machine and
have no budget.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from statistics import median
from typing import Any

from django.test import Client

from bench.databases import inside
from bench.replays import server

LADDER = "edel-stein-reich-4"
GAMES = {"gems": LADDER, "cellars": "die-weinhaendler-4"}
"""A ladder by board."""
DUEL = 2

BLOCKS = 6
PHONE = {"viewport": {"width": 360, "height": 780}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 750_000 / 8}
CPU_RATE = 4
QUIET_MS = 1500
"""How long a page is observed after it is drawn."""

OBSERVER = """(() => {
  window.measured = { shift: 0, paint: 0, drawn: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) measured.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) measured.paint = entry.startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new MutationObserver((changes) => {
    if (!measured.drawn && changes.some(({ target }) => target.matches(".begun"))) measured.drawn = performance.now();
  }).observe(document, { subtree: true, attributeFilter: ["class"] });
})()"""
READY = """() => document.readyState === "complete" && measured.paint > 0
  && (measured.drawn || !document.querySelector("game-replay, sitting-table"))"""


@dataclass(frozen=True)
class Budget:
    """The highest allowed weight of a page."""

    requests: int
    kilobytes: float
    shift: float = 0.05


BUDGETS: Mapping[str, Budget] = {
    "home": Budget(40, 110),  # with the board, which is requested after the first paint
    "lobby": Budget(24, 70),
    "ladder": Budget(16, 60),
    "bot": Budget(20, 70),
    "matches": Budget(16, 60),
    "rules": Budget(16, 60),
    "replay, gems": Budget(50, 180),
    "replay, cellars": Budget(44, 130),
    "table, gems": Budget(80, 230),
    "table, cellars": Budget(74, 175),
}
"""About a tenth above what was measured."""


@dataclass(frozen=True)
class Load:
    """One load of a page."""

    requests: int
    kilobytes: float
    shift: float
    rounds: int
    drawn_ms: float


class Traffic:
    """The requests of a page, as the browser reports them."""

    def __init__(self, session: Any) -> None:
        self.depths: dict[str, int] = {}
        self.sent: list[tuple[float, int]] = []
        self.received: dict[str, float] = {}
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.dataReceived", self._received)
        session.on("Network.loadingFinished", self._finished)

    def rounds(self, until: float) -> int:
        """The longest chain of the requests before ``until``, in seconds since 1970."""
        return max((depth for at, depth in self.sent if at <= until), default=0)

    def _sent(self, event: dict[str, Any]) -> None:
        url = event["request"]["url"].partition("#")[0]
        if url.startswith("data:"):
            return
        cause = _cause(event["initiator"]) if self.sent else ""
        depth = self.depths.get(cause, 0) + 1
        self.depths.setdefault(url, depth)
        self.sent.append((event["wallTime"], depth))
        self.received[event["requestId"]] = 0

    def _received(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self.received:  # streams have no end
            self.received[event["requestId"]] += event["encodedDataLength"]

    def _finished(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self.received:
            self.received[event["requestId"]] = event["encodedDataLength"]


def _cause(initiator: dict[str, Any]) -> str:
    """The URL of the file that asked for another one."""
    stack = initiator.get("stack")
    while stack and not stack["callFrames"]:
        stack = stack.get("parent")
    url = stack["callFrames"][0]["url"] if stack else initiator.get("url", "")
    return str(url).partition("#")[0]


@dataclass(frozen=True)
class Page:
    """A type of page: its name, the path to load, and the cookies of its visitor."""

    name: str
    path: str
    cookies: Sequence[dict[str, str]] = ()


def pages(site: str) -> Iterator[Page]:
    """One page of each type. Guests start the games of the tables."""
    from games.registry import GAMES as RULES
    from ladder.models import Match, Membership

    best = Membership.objects.filter(ladder__slug=LADDER, bot__owner__isnull=False).order_by("-rating")[0].bot.slug
    yield from (Page("home", "/"), Page("lobby", "/play/"), Page("ladder", f"/ladders/{LADDER}/"))
    yield from (Page("bot", f"/bots/{best}/"), Page("matches", "/matches/"), Page("rules", "/rules/edel-stein-reich/"))
    for game, slug in GAMES.items():
        opened = Match.objects.filter(ladder__slug=slug, status="finished", block__ended__isnull=False)
        yield Page(f"replay, {game}", f"/matches/{opened.latest('pk').pk}/#40")
    for slug, rules in RULES.items():
        if (name := f"table, {rules.presentation.board}") in BUDGETS and max(rules.seat_counts) > DUEL:
            yield _table(name, site, slug)


def _table(name: str, site: str, game: str) -> Page:
    """A new game of a guest against house bots; the guest owes the first decision."""
    client = Client(headers={"host": site.partition("//")[2]})
    path = client.post("/play/now/", {"game": game}).headers["Location"]
    cookies = [{"name": cookie.key, "value": cookie.value, "url": site} for cookie in client.cookies.values()]
    return Page(name, path, cookies)


def loaded(browser: Any, site: str, page_type: Page) -> Load:
    """Load a page once, with an empty cache."""
    context = browser.new_context(base_url=site, **PHONE)
    context.add_cookies(page_type.cookies)
    page = context.new_page()
    page.add_init_script(OBSERVER)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", NETWORK)
    session.send("Emulation.setCPUThrottlingRate", {"rate": CPU_RATE})
    traffic = Traffic(session)
    page.goto(page_type.path, wait_until="commit")
    page.wait_for_function(READY, timeout=120_000)
    page.wait_for_timeout(QUIET_MS)
    times = page.evaluate("({ ...measured, origin: performance.timeOrigin })")
    context.close()
    drawn = times["drawn"] or times["paint"]
    rounds = traffic.rounds((times["origin"] + drawn) / 1000)
    return Load(len(traffic.sent), sum(traffic.received.values()) / 1000, times["shift"], rounds, drawn)


def measure(options: argparse.Namespace) -> int:
    """Load all pages of a new site on the empty database of DATABASE_URL. Return the exit status."""
    import django

    django.setup()
    from django.core.management import call_command
    from playwright.sync_api import sync_playwright

    from bench.crowd import crowd

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    crowd(0, 20, lambda text: print(f"  {text}", file=sys.stderr, flush=True), blocks=BLOCKS)
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps an event loop in this thread
    faults: list[str] = []
    print(f"{'Page':18} {'Requests':>8} {'KB':>7} {'Shift':>6} {'Rounds':>6} {'Drawn, ms':>9}")
    with server() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        for page in pages(site):
            if options.only and page.name not in options.only:
                continue
            loads = [loaded(browser, site, page) for _ in range(options.loads)]
            load = Load(*(median(values) for values in zip(*map(astuple, loads), strict=True)))
            print(
                f"{page.name:18} {load.requests:8.0f} {load.kilobytes:7.1f} {load.shift:6.3f} {load.rounds:6.0f}"
                f" {load.drawn_ms:9.0f}",
                flush=True,
            )
            faults += exceeded(page.name, load)
        browser.close()
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def exceeded(name: str, load: Load) -> list[str]:
    """A line for each figure of a page that exceeds its budget."""
    budget = BUDGETS[name]
    figures = (
        ("requests", load.requests, budget.requests),
        ("KB", load.kilobytes, budget.kilobytes),
        ("layout shift", load.shift, budget.shift),
    )
    return [f"{name}: {value:.5g} {what}, budget {most:g}" for what, value, most in figures if value > most]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--loads", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[], choices=sorted(BUDGETS), help="pages to load (default: all)")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    return measure(options) if options.inside else inside("bench.pages", "sqlite", sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
