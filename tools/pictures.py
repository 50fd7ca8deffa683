"""Take the pictures of the documentation from a running site: ``make pictures PORT=8000``.

The site needs finished matches (``manage.py demo-data``), a cup (``manage.py demo-cup --format knockout``) and, for the
picture ``live``, a running game of remote bots (``esr play-remote``). The pictures of a user show the demo account. Its
password is in the data folder of the site (``VAR_DIR`` or ``--data``). Only pictures that a page of the documentation
shows are taken.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import TimeoutError as NotSettled

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "images"
NAVIGATION = FOLDER / "navigation.json"
"""The links of the navigation on the pictures. A test compares them with the template."""

SETTLED_MS = 8_000
SIZES = {"": {"width": 1280, "height": 800}, "-phone": {"width": 390, "height": 844}}
"""Window sizes by the end of the picture's name."""


@dataclass(frozen=True)
class Shot:
    """A picture of the page at ``path``, or of the first link there that matches ``link``.

    With ``behind``, it is the first such page with a link that has this data attribute, and that link is followed.
    """

    name: str
    path: str
    link: str = ""
    behind: str = ""


FINISHED = "/matches/?ladder=edel-stein-reich-4&state=finished"
MATCH = r"^/matches/\d+/$"
PUBLIC = (
    Shot("home", "/"),
    Shot("ladder", "/ladders/edel-stein-reich-4/"),
    Shot("bot", "/ladders/edel-stein-reich-4/", r"^/bots/[^/]+/$"),
    Shot("cup", "/cups/", r"^/cups/(?!new/)[^/.]+/$"),
    Shot("replay", FINISHED, MATCH, "decisive"),
    Shot("live", "/matches/?ladder=edel-stein-reich-3-remote&state=running", MATCH),
)
"""Pages as visitors see them."""

OWN = (Shot("lobby", "/play/"), Shot("upload", "/bots/new/"))
"""Pages as signed-in users see them."""


@dataclass(frozen=True)
class Seat:
    """A picture of a table on ``ladder``, at the first decision that matches ``kind`` from round ``round``."""

    name: str
    ladder: str
    kind: str
    round: int


SEATS = (
    Seat("table", "edel-stein-reich-4-open", r"answer_offer|open_barter", 2),
    Seat("table-wine", "die-weinhaendler-4-open", r"lay", 3),
)

HERO = "hero.gif"
HERO_WIDTH = 900
HERO_FRAMES, HERO_FRAME_MS, HERO_LAST_MS = 20, 500, 2_000
HERO_BEFORE = 14
"""Steps of the animation before the turning point."""

MAX_HERO_BYTES = 2_000_000

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
    """The site does not have a page for a picture."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="port of the site (default: 8000)")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("VAR_DIR", ROOT / "var")), help="data folder")
    parser.add_argument("--only", nargs="*", default=[], help="names of pictures (default: all that a page shows)")
    chosen = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("Pictures require Chromium. Run: sudo apt-get install chromium", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        camera = Camera(browser, f"http://localhost:{chosen.port}", frozenset(chosen.only) or shown())
        camera.take(PUBLIC)
        camera.animate()
        camera.sign_in((chosen.data / "demo-password").read_text().strip())
        camera.take(OWN)
        camera.sit(SEATS)
        if not chosen.only:
            NAVIGATION.write_text(json.dumps(camera.navigation(), indent=2) + "\n")
        browser.close()
    print("\n".join(camera.missing), file=sys.stderr)
    return 1 if camera.missing else 0


def shown() -> frozenset[str]:
    """The names of the images that the pages of the documentation show, without the ending of the file."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    return frozenset(re.findall(r"images/([\w-]+)\.(?:png|gif)\)", text))


class Camera:
    """A browser that opens one page after the other."""

    def __init__(self, browser: Browser, site: str, only: frozenset[str]) -> None:
        self.missing: list[str] = []
        self._only = only
        self._context = browser.new_context(base_url=site, reduced_motion="reduce")

    def take(self, shots: tuple[Shot, ...]) -> None:
        """Take the pictures of ``shots`` that are wanted."""
        page = self._context.new_page()
        for shot in shots:
            sizes = self._sizes(shot.name)
            try:
                path = self._path(page, shot) if sizes else ""
                for ending in sizes:
                    self._picture(page, path, ending, shot.name)
            except Missing as missing:
                self.missing.append(f"{shot.name}: {missing}")
        page.close()

    def sit(self, seats: tuple[Seat, ...]) -> None:
        """Play at a table for each of ``seats`` that is wanted, take its pictures, and resign."""
        page = self._context.new_page()
        for seat in seats:
            try:
                if self._sizes(seat.name):
                    self._seat(page, seat)
            except Missing as missing:
                self.missing.append(f"{seat.name}: {missing}")
        page.close()

    def _sizes(self, name: str) -> list[str]:
        return [ending for ending in SIZES if f"{name}{ending}" in self._only]

    def _seat(self, page: Page, seat: Seat) -> None:
        page.goto("/play/")
        page.locator(f"button[name=ladder][value={seat.ladder}].send").click()
        page.wait_for_url(re.compile(r"/play/tables/\d+/$"))
        self._play_to(page, seat)
        for ending in self._sizes(seat.name):
            _resize(page, ending)
            page.reload()
            page.locator(".sitting.begun .sitting-composer").wait_for()
            page.locator(".sitting-story > *").first.wait_for(state="attached")
            page.screenshot(path=FOLDER / f"{seat.name}{ending}.png")
        page.evaluate(RESIGN)

    def animate(self) -> None:
        """Write the animation of a replay around its turning point."""
        if Path(HERO).stem not in self._only:
            return
        page = self._context.new_page()
        _resize(page, "")
        try:
            path, _, turn = self._path(page, Shot("hero", FINISHED, MATCH, "decisive")).partition("#")
        except Missing as missing:
            self.missing.append(f"hero: {missing}")
            return
        page.goto(f"{path}#{max(int(turn) - HERO_BEFORE, 1)}")
        page.locator(".replay [data-sentence]:not(:empty)").wait_for(state="attached")
        with suppress(NotSettled):
            page.wait_for_load_state("networkidle", timeout=SETTLED_MS)
        frames = []
        for _ in range(HERO_FRAMES):
            frames.append(page.locator("game-replay").screenshot())
            step = page.url
            page.keyboard.press("ArrowRight")
            page.wait_for_function("before => location.href !== before", arg=step)
        page.close()
        (FOLDER / HERO).write_bytes(animation(frames))

    def navigation(self) -> list[str]:
        """The links of the navigation for the signed-in user."""
        page = self._context.new_page()
        page.goto("/about/")
        links: list[str] = [link.strip() for link in page.locator("#menu nav a").all_text_contents()]
        page.close()
        return links

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

    def _picture(self, page: Page, path: str, ending: str, name: str) -> None:
        _resize(page, ending)
        page.goto("about:blank")  # otherwise another fragment would not reload the page
        response = page.goto(path)
        if response is None or response.status != 200:
            raise Missing(f"{path} returned {response and response.status}")
        with suppress(NotSettled):  # a page that listens to a stream is never idle
            page.wait_for_load_state("networkidle", timeout=SETTLED_MS)
        page.screenshot(path=FOLDER / f"{name}{ending}.png")

    def _path(self, page: Page, shot: Shot) -> str:
        if not shot.link:
            return shot.path
        page.goto(shot.path)
        addresses = [link.get_attribute("href") or "" for link in page.locator("main a").all()]
        links = [link for link in dict.fromkeys(addresses) if re.search(shot.link, link)]
        chosen = (self._marked(page, link, shot.behind) if shot.behind else link for link in links)
        path = next(filter(None, chosen), None)
        if path is None:
            raise Missing(f"no link on {shot.path} matches {shot.link}")
        return path

    def _marked(self, page: Page, path: str, mark: str) -> str:
        """The path and the target of the link with the data attribute ``mark``; empty if there is no such link."""
        page.goto(path, wait_until="networkidle")
        link = page.locator(f"a[data-{mark}]").first
        place = link.get_attribute("href") if link.count() else ""
        return f"{path}{place}" if place else ""


def animation(frames: list[bytes]) -> bytes:
    """A GIF of PNG frames, with as many colors as fit into :data:`MAX_HERO_BYTES`. Raises ``ValueError`` if none do."""
    from PIL import Image  # only this picture needs it

    images: list[Any] = [Image.open(io.BytesIO(frame)).convert("RGB") for frame in frames]
    height = round(images[0].height * HERO_WIDTH / images[0].width)
    scaled = [image.resize((HERO_WIDTH, height), Image.Resampling.LANCZOS) for image in images]
    for colors in (256, 192, 128, 64):
        methods = (Image.Quantize.MEDIANCUT, Image.Quantize.MAXCOVERAGE)  # for large areas, for small drawings
        middle = scaled[len(scaled) // 2]
        palette = Image.new("P", (1, 1))
        palette.putpalette([value for method in methods for value in middle.quantize(colors // 2, method).getpalette()])
        first, *others = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in scaled]
        file = io.BytesIO()
        durations = [HERO_FRAME_MS] * len(others) + [HERO_LAST_MS]
        first.save(file, "GIF", save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
        if file.tell() <= MAX_HERO_BYTES:
            return file.getvalue()
    raise ValueError(f"the animation is larger than {MAX_HERO_BYTES:,} bytes")


def _resize(page: Page, ending: str) -> None:
    page.set_viewport_size(SIZES[ending])  # type: ignore[arg-type]


if __name__ == "__main__":
    sys.exit(main())
