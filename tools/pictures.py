"""Take a picture of every page from a running site: ``make pictures PORT=8000``, with Chromium from the system.

The site should have played (``manage.py demo-data``). Pages of a person are those of the demo account, whose password
lies in the folder of the site's data (``VAR_DIR``, or ``--data``). A live game is taken while one runs: let three
remote bots play meanwhile (``esr play-remote``). At tables the demo account sits down with house bots and plays
default moves until there is something to see.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import TimeoutError as NotSettled

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "images"
SETTLED_MS = 8_000
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


@dataclass(frozen=True)
class Shot:
    """A picture to take: of ``address``, or of the first link on it like ``link``; ``behind`` is a link there."""

    name: str
    address: str
    link: str = ""
    behind: str = ""
    dark: bool = False


PUBLIC = (
    Shot("home", "/", dark=True),
    Shot("ladders", "/ladders/"),
    Shot("ladder", "/ladders/edel-stein-reich-4/", dark=True),
    Shot("statistics", "/ladders/edel-stein-reich-4/statistics/"),
    Shot("head-to-head", "/ladders/edel-stein-reich-4/statistics/head-to-head/"),
    Shot("integrity-report", "/ladders/edel-stein-reich-4/integrity/"),
    Shot("seasons", "/ladders/edel-stein-reich-4/seasons/"),
    Shot("season", "/ladders/edel-stein-reich-4/seasons/", r"/seasons/\d+/$"),
    Shot("membership", "/ladders/edel-stein-reich-4/bots/house-kontor/"),
    Shot("bots", "/bots/"),
    Shot("bot", "/ladders/edel-stein-reich-4/", r"^/bots/[^/]+/$", dark=True),
    Shot("compare", "/compare/house-greedy/house-kontor/"),
    Shot("search", "/search/?q=house"),
    Shot("matches", "/matches/"),
    Shot("people-ladder", "/ladders/edel-stein-reich-4-people/"),
    Shot("replay", "/matches/?ladder=edel-stein-reich-4&state=finished", r"^/matches/\d+/$", "decisive", dark=True),
    Shot("duel", "/matches/?ladder=edel-stein-reich-duel&state=finished", r"^/matches/\d+/$", "decisive"),
    Shot("wine", "/matches/?ladder=die-weinhaendler-4&state=finished", r"^/matches/\d+/$", "decisive", dark=True),
    Shot("live-ladder", "/ladders/edel-stein-reich-3-remote/"),
    Shot("live", "/matches/?ladder=edel-stein-reich-3-remote&state=running", r"^/matches/\d+/$", dark=True),
    Shot("remote-bot", "/ladders/edel-stein-reich-3-remote/", r"^/bots/[^/]+/$"),
    Shot("rules", "/rules/"),
    Shot("rules-edel-stein-reich", "/rules/edel-stein-reich/"),
    Shot("rules-edel-stein-reich-duel", "/rules/edel-stein-reich-duel/"),
    Shot("rules-die-weinhaendler", "/rules/die-weinhaendler/"),
    Shot("tutorial", "/rules/edel-stein-reich/tutorial/"),
    Shot("about", "/about/"),
    Shot("terms", "/terms/"),
    Shot("sign-in", "/account/login/"),
    Shot("sign-up", "/account/signup/"),
    Shot("api", "/api/v1/"),
)
"""What everybody sees."""

OWN = (
    Shot("lobby", "/play/", dark=True),
    Shot("challenge", "/bots/house-kontor/", r"^/play/challenge/[^/]+/$"),
    Shot("account", "/account/"),
    Shot("tokens", "/account/tokens/"),
    Shot("factors", "/account/2fa/"),
    Shot("my-bots", "/bots/mine/"),
    Shot("upload", "/bots/new/"),
    Shot("register-remote", "/bots/new/remote/"),
    Shot("exhibitions", "/exhibitions/"),
    Shot("exhibition-test", "/ladders/edel-stein-reich-4/test/"),
    Shot("exhibition-compare", "/ladders/edel-stein-reich-4/compare/"),
)
"""What somebody who has signed in sees, too."""


@dataclass(frozen=True)
class Seat:
    """A picture of one's own table on ``ladder``, at the first decision like ``kind`` from round ``round`` on."""

    name: str
    ladder: str
    kind: str
    round: int
    dark: bool = False


SEATS = (
    Seat("table", "edel-stein-reich-4-open", r"answer_offer|open_barter", 2, dark=True),
    Seat("table-duel", "edel-stein-reich-duel-open", r"guess|answer_offer|open_barter", 2),
    Seat("table-wine", "die-weinhaendler-4-open", r"lay", 3, dark=True),
)
"""What somebody sees who plays."""

MOST_MOVES = 80
ASKED = (
    "() => { const { ended, present } = document.querySelector('sitting-table'); return ended || present?.question }"
)
DEFAULT = """async () => {
  const { dataset, present } = document.querySelector("sitting-table");
  const headers = { "Content-Type": "application/json", "X-CSRFToken": dataset.csrf };
  const body = JSON.stringify({ move: present.question.default });
  await fetch(dataset.decisions + present.decision, { method: "POST", headers, body });
}"""
RESIGN = """async () => {
  const { dataset } = document.querySelector("sitting-table");
  const headers = { "Content-Type": "application/json", "X-CSRFToken": dataset.csrf };
  await fetch(dataset.seatActions + "resign", { method: "POST", headers, body: "{}" });
}"""


class Missing(Exception):
    """The site has no such page."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("VAR_DIR", ROOT / "var")))
    parser.add_argument("--only", nargs="*", default=[], help="names of pictures; all without it")
    chosen = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("Chromium is needed for pictures: sudo apt-get install chromium", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        camera = Camera(browser, f"http://localhost:{chosen.port}", frozenset(chosen.only))
        camera.take(PUBLIC)
        camera.sign_in((chosen.data / "demo-password").read_text().strip())
        camera.take(OWN)
        camera.sit(SEATS)
        browser.close()
    if not chosen.only:
        (FOLDER / "README.md").write_text(index())
    print("\n".join(camera.missing), file=sys.stderr)
    return 1 if camera.missing else 0


class Camera:
    """One browser that goes from page to page."""

    def __init__(self, browser: Browser, site: str, only: frozenset[str]) -> None:
        self.missing: list[str] = []
        self._only = only
        self._context = browser.new_context(base_url=site, reduced_motion="reduce")

    def take(self, shots: tuple[Shot, ...]) -> None:
        """Take every picture of ``shots``: by day on a desk and on a phone, and by night where it is asked."""
        page = self._context.new_page()
        for shot in shots:
            if self._only and shot.name not in self._only:
                continue
            try:
                self._picture(page, shot)
            except Missing as missing:
                self.missing.append(f"{shot.name}: {missing}")
        page.close()

    def sit(self, seats: tuple[Seat, ...]) -> None:
        """Take a picture of each of one's own tables, and leave it."""
        page = self._context.new_page()
        for seat in seats:
            if self._only and seat.name not in self._only:
                continue
            try:
                self._seat(page, seat)
            except Missing as missing:
                self.missing.append(f"{seat.name}: {missing}")
        page.close()

    def _seat(self, page: Page, seat: Seat) -> None:
        page.goto("/play/")
        page.locator(f"button[name=ladder][value={seat.ladder}].send").click()
        page.wait_for_url(re.compile(r"/play/tables/\d+/$"))
        self._play_to(page, seat)
        for ending, size, scheme in _views(seat):
            _set(page, size, scheme)
            page.reload()
            page.locator(".sitting.begun .sitting-composer").wait_for()
            page.screenshot(path=FOLDER / f"{seat.name}{ending}.png")
        page.evaluate(RESIGN)

    def _play_to(self, page: Page, seat: Seat) -> None:
        """Play default moves until a decision is asked that is worth a picture."""
        for _ in range(MOST_MOVES):
            page.wait_for_function(ASKED)
            ended, present = page.evaluate(
                "() => { const t = document.querySelector('sitting-table'); return [t.ended, t.present] }"
            )
            if ended:
                break
            if present["round"] >= seat.round and re.search(seat.kind, present["question"]["kind"]):
                return
            page.evaluate(DEFAULT)
            page.wait_for_function(
                "last => document.querySelector('sitting-table').present.decision !== last", arg=present["decision"]
            )
        raise Missing(f"nothing like {seat.kind} was asked at {page.url}")

    def sign_in(self, password: str) -> None:
        """Sign in as the demo account."""
        page = self._context.new_page()
        page.goto("/account/login/")
        page.locator("main input[name=login]").fill("demo")
        page.locator("main input[name=password]").fill(password)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/play/$"))
        page.close()

    def _picture(self, page: Page, shot: Shot) -> None:
        address = self._address(page, shot)
        for ending, size, scheme in _views(shot):
            _set(page, size, scheme)
            page.goto("about:blank")  # or another #… would not load the page anew
            response = page.goto(address)
            if response is None or response.status != 200:
                raise Missing(f"{address} answers {response and response.status}")
            with suppress(NotSettled):  # a page that listens to a stream is never idle
                page.wait_for_load_state("networkidle", timeout=SETTLED_MS)
            page.screenshot(path=FOLDER / f"{shot.name}{ending}.png")

    def _address(self, page: Page, shot: Shot) -> str:
        if not shot.link:
            return shot.address
        page.goto(shot.address)
        found = [link.get_attribute("href") or "" for link in page.locator("main a").all()]
        links = [link for link in dict.fromkeys(found) if re.search(shot.link, link)]
        chosen = (self._marked(page, link, shot.behind) if shot.behind else link for link in links)
        address = next(filter(None, chosen), None)
        if address is None:
            raise Missing(f"no link on {shot.address} is like {shot.link}")
        return address

    def _marked(self, page: Page, address: str, mark: str) -> str:
        """The address with the place that ``mark`` leads to; empty where the page has none, or not yet."""
        page.goto(address, wait_until="networkidle")
        link = page.locator(f"a[data-{mark}]").first
        place = link.get_attribute("href") if link.count() else ""
        return f"{address}{place}" if place else ""


def index() -> str:
    """The page that shows all pictures, as Markdown."""
    lines = ["# Every page", "", "Taken by `make pictures` from a site that `manage.py demo-data` has filled.", ""]
    for shot in (*PUBLIC, *OWN):
        where = f"`{shot.address}`" if not shot.link else f"a link on `{shot.address}`"
        lines += [f"## {shot.name}", "", f"{where}:", ""]
        lines += [f"![{shot.name}{ending}]({shot.name}{ending}.png)" for ending, _, _ in _views(shot)] + [""]
    for seat in SEATS:
        lines += [f"## {seat.name}", "", f"a table of `{seat.ladder}`, for one who plays there:", ""]
        lines += [f"![{seat.name}{ending}]({seat.name}{ending}.png)" for ending, _, _ in _views(seat)] + [""]
    return "\n".join(lines)


def _set(page: Page, size: dict[str, int], scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size(size)  # type: ignore[arg-type]


def _views(shot: Shot | Seat) -> Iterator[tuple[str, dict[str, int], str]]:
    yield "", DESK, "light"
    yield "-phone", PHONE, "light"
    if shot.dark:
        yield "-dark", DESK, "dark"
        yield "-phone-dark", PHONE, "dark"


if __name__ == "__main__":
    sys.exit(main())
