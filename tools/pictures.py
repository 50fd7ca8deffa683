"""Take a picture of every page from a running site: ``make pictures PORT=8000``, with Chromium from the system.

The site should have played (``manage.py demo-data``). Pages of a person are those of the demo account, whose password
lies in the folder of the site's data (``VAR_DIR``, or ``--data``). A live game is taken while one runs: let three
remote bots play meanwhile (``esr play-remote``).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "images"
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
    Shot("audit", "/ladders/edel-stein-reich-4/audit/"),
    Shot("seasons", "/ladders/edel-stein-reich-4/seasons/"),
    Shot("season", "/ladders/edel-stein-reich-4/seasons/", r"/seasons/\d+/$"),
    Shot("entry", "/ladders/edel-stein-reich-4/bots/house-kontor/"),
    Shot("bots", "/bots/"),
    Shot("bot", "/ladders/edel-stein-reich-4/", r"^/bots/[^/]+/$", dark=True),
    Shot("compare", "/compare/house-greedy/house-kontor/"),
    Shot("search", "/search/?q=house"),
    Shot("matches", "/matches/"),
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
    Shot("account", "/account/"),
    Shot("tokens", "/account/tokens/"),
    Shot("factors", "/account/2fa/"),
    Shot("my-bots", "/bots/mine/"),
    Shot("upload", "/bots/new/"),
    Shot("register-remote", "/bots/new/remote/"),
    Shot("orders", "/matches/orders/"),
    Shot("order-test", "/ladders/edel-stein-reich-4/test/"),
    Shot("order-compare", "/ladders/edel-stein-reich-4/compare/"),
)
"""What somebody who has signed in sees, too."""


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

    def sign_in(self, password: str) -> None:
        """Sign in as the demo account."""
        page = self._context.new_page()
        page.goto("/account/login/")
        page.locator("main input[name=login]").fill("demo")
        page.locator("main input[name=password]").fill(password)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/account/$"))
        page.close()

    def _picture(self, page: Page, shot: Shot) -> None:
        address = self._address(page, shot)
        for ending, size, scheme in _views(shot):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.set_viewport_size(size)  # type: ignore[arg-type]
            page.goto("about:blank")  # or another #… would not load the page anew
            response = page.goto(address)
            if response is None or response.status != 200:
                raise Missing(f"{address} answers {response and response.status}")
            page.wait_for_load_state("networkidle")
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
    return "\n".join(lines)


def _views(shot: Shot) -> Iterator[tuple[str, dict[str, int], str]]:
    yield "", DESK, "light"
    yield "-phone", PHONE, "light"
    if shot.dark:
        yield "-dark", DESK, "dark"
        yield "-phone-dark", PHONE, "dark"


if __name__ == "__main__":
    sys.exit(main())
