"""A replay in a browser: watched to its end with the keyboard, linked to, seen by one seat, and as text."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from ladder.exports.documents import replay_of
from ladder.models import Match
from tests.ladder.pages.site import Site

pytestmark = pytest.mark.slow


def steps_of(match: Match) -> int:
    replay = replay_of(match)
    assert replay is not None
    return len(json.loads(replay.json)["entries"])


def opened(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("game-replay.begun")


def now(page: Page) -> int:
    """The step that is shown, as a screen reader would hear it."""
    return int(page.get_by_role("slider").get_attribute("aria-valuenow") or -1)


def stops_of(page: Page) -> list[int]:
    """The steps that the replay stops at."""
    stops: list[int] = page.evaluate("document.querySelector('game-replay').player.game.stops")
    return stops


def test_a_replay_is_watched_to_its_end_with_the_keyboard(site: Site, watched: Page) -> None:
    opened(watched, f"/matches/{site.finished.pk}/")
    last = steps_of(site.finished) - 1
    stops = stops_of(watched)
    assert now(watched) == 0
    watched.keyboard.press("ArrowRight")
    assert now(watched) == stops[1]
    watched.keyboard.press("Shift+ArrowRight")
    begun = now(watched)
    assert begun > stops[1]
    watched.keyboard.press("ArrowLeft")
    assert now(watched) == stops[stops.index(begun) - 1]
    watched.keyboard.press("PageDown")
    assert now(watched) > begun
    watched.keyboard.press("Home")
    for _ in range(8):
        watched.keyboard.press("+")
    expect(watched.locator("[data-speed]")).to_have_value("60")
    watched.keyboard.press("Space")
    expect(watched.get_by_role("button", name="Pause")).to_be_visible()
    expect(watched.get_by_role("slider")).to_have_attribute("aria-valuenow", str(last), timeout=60_000)
    expect(watched.get_by_role("button", name="Play")).to_be_visible()
    expect(watched.locator("[data-sentence]")).to_contain_text(re.compile("wins? with|share the win"))
    expect(watched).to_have_url(re.compile(f"#{last}$"))
    watched.keyboard.press("Shift+ArrowLeft")
    assert 0 < now(watched) < last


def test_an_address_opens_at_its_step_and_from_its_seat_and_is_copied(site: Site, watched: Page) -> None:
    watched.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(watched, f"/matches/{site.finished.pk}/?seat=2#40")
    assert now(watched) == 40
    expect(watched.locator("select[data-seat]")).to_have_value("1")
    watched.keyboard.press("ArrowRight")
    watched.keyboard.press("3")
    watched.keyboard.press("c")
    expect(watched.locator("[data-said]")).to_have_text("Link to #41 copied.")
    assert watched.evaluate("navigator.clipboard.readText()").endswith(f"/matches/{site.finished.pk}/?seat=3#41")
    entries = watched.evaluate("history.length")
    watched.keyboard.press("0")
    watched.keyboard.press("End")
    expect(watched).to_have_url(re.compile(r"/\d+/#\d+$"))
    assert watched.evaluate("history.length") == entries, "scrubbing leaves no trail"
    turning_point = watched.get_by_role("link", name="Turning point").first
    step = (turning_point.get_attribute("href") or "").rpartition("#")[2]
    turning_point.click()
    expect(watched.get_by_role("slider")).to_have_attribute("aria-valuenow", step)


def test_a_simultaneous_choice_is_one_step_and_links_to_its_parts_lead_to_the_reveal(site: Site, watched: Page) -> None:
    opened(watched, f"/matches/{site.finished.pk}/")
    stops = stops_of(watched)
    secret = next(ply for ply in range(len(stops)) if ply not in stops)
    reveal = min(stop for stop in stops if stop > secret)
    opened(watched, f"/matches/{site.finished.pk}/?seat=2#{secret}")
    watched.reload()
    watched.wait_for_selector("game-replay.begun")
    assert now(watched) == reveal
    watched.keyboard.press("ArrowLeft")
    watched.keyboard.press("ArrowRight")
    assert now(watched) == reveal
    watched.keyboard.press("h")
    plies = watched.eval_on_selector_all(
        ".replay-moves li:not([hidden]) a", "all => all.map((a) => Number(a.dataset.ply))"
    )
    assert max(plies) == reveal
    watched.keyboard.press("t")
    marked = watched.locator(f".story li[aria-current=step]:has([id='{secret}'])")
    expect(marked).to_have_attribute("id", str(reveal))


def test_the_rest_of_a_replay_can_be_hidden_and_keys_are_listed(site: Site, watched: Page) -> None:
    opened(watched, f"/matches/{site.finished.pk}/#30")
    shown = now(watched)
    watched.keyboard.press("h")
    expect(watched.locator("[data-do=hide]")).to_have_attribute("aria-pressed", "true")
    expect(watched.locator(".chart .ahead")).to_be_hidden()
    plies = watched.eval_on_selector_all(
        ".replay-moves li:not([hidden]) a", "all => all.map((a) => Number(a.dataset.ply))"
    )
    assert max(plies) == shown
    watched.keyboard.press("Shift+?")
    expect(watched.get_by_role("dialog")).to_be_visible()
    watched.keyboard.press("Escape")
    expect(watched.get_by_role("dialog")).to_be_hidden()
    box = watched.get_by_role("slider").bounding_box()
    assert box is not None
    watched.mouse.click(box["x"] + box["width"] / 2, box["y"] + 40)
    expect(watched.get_by_role("slider")).not_to_have_attribute("aria-valuenow", str(shown))


def test_the_same_game_is_one_click_away_as_text_and_there_without_scripts(
    site: Site, watched: Page, browser: Browser, live_server: LiveServer
) -> None:
    address = f"/matches/{site.finished.pk}/#40"
    opened(watched, address)
    heading = watched.locator("#text h2")
    expect(heading).to_be_hidden()
    watched.locator("[data-do=text]").last.click()
    expect(heading).to_be_visible()
    expect(heading).to_be_focused()
    expect(watched.locator(".story [aria-current=step]")).to_be_in_viewport()
    watched.keyboard.press("t")
    expect(heading).to_be_hidden()
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    expect(page.locator("#text h2")).to_be_visible()
    expect(page.locator("game-replay")).to_be_hidden()
    expect(page.locator(".story :target")).to_be_in_viewport()
    context.close()


SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (sum += value)))
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => done(sum)));
})"""
SHEETS = re.compile('@import "([^"]+)"')
NAMED = re.compile(r'(?:href|src|data-document)="(/[^"#]+\.(?:css|json|js))"')


def imports(sheet: str) -> set[str]:
    """The URLs of the style sheets that a style sheet imports."""
    text = Path(str(finders.find(f"esr/{sheet}"))).read_text()
    return {str(PurePosixPath("/static/esr", sheet).parent / name) for name in SHEETS.findall(text)}


@pytest.mark.parametrize("size", [(360, 780), (1280, 800)])
def test_a_replay_needs_three_rounds_of_requests_and_reserves_its_place(
    site: Site, watched: Page, size: tuple[int, int]
) -> None:
    """The page, the files that it names, and the drawings that those name. Sheets of other pages are not named."""
    requested: list[str] = []
    watched.on("request", lambda request: requested.append(urlsplit(request.url).path))
    watched.set_viewport_size({"width": size[0], "height": size[1]})
    match = next(match for match in site.others if match.ladder.game == "edel-stein-reich")
    opened(watched, f"/matches/{match.pk}/#20")
    named = set(NAMED.findall(watched.context.request.get(watched.url).text()))
    files = {path for path in requested if path.endswith((".js", ".json", ".css"))}
    imported = imports("site.css") | imports("boards/gems.css")  # a site has them inside of the sheets
    assert files - imported <= named, "the page or the sheet of all pages names each file"
    sheets = {path.removeprefix("/static/esr/") for path in files - imported if path.endswith(".css")}
    assert sheets == {"site.css", "replay.css", "boards/gems.css"}
    assert watched.evaluate(SHIFT) <= 0.05


SIZES = [(1366, 657), (1280, 800), (1920, 1080), (390, 844), (360, 780), (820, 1180)]
UNFIT = """() => {
  const { player } = document.querySelector("game-replay");
  const { innerHeight, innerWidth } = window;
  const closing = innerWidth < 720 && document.querySelector("[data-seats='5']") ? "" : ", .gems-side .closing";
  const drawn = `.row.seat, .scored .line > *, .cellars .seat, .cellars .niche, .cellars .link${closing}`;
  const roomy = innerWidth > 1020 && innerHeight > 700;
  const found = [];
  scrollTo(0, 0);
  for (const ply of player.game.stops.filter((_, place) => place % 8 === 0)) {
    player.go(ply, 0);
    if (!roomy && document.querySelector(".scored:not([hidden])")) continue;
    const foot = document.querySelector(".replay-foot").getBoundingClientRect();
    const parts = [...document.querySelectorAll(drawn)].filter((part) => part.checkVisibility());
    const low = Math.max(...parts.map((part) => part.getBoundingClientRect().bottom)) - foot.top;
    if (low > 0.5) found.push(`step ${ply}: ${Math.round(low)} px under the chart`);
    if (foot.bottom > innerHeight + 0.5) found.push(`step ${ply}: controls end at ${Math.round(foot.bottom)}`);
    if (document.documentElement.scrollWidth > innerWidth) found.push(`step ${ply}: too wide`);
  }
  return found;
}"""
"""What is not above the chart.

The end of a scoring can be scrolled to in low windows and on phones, that of a barter with five seats on phones.
"""


def test_board_chart_and_controls_fit_the_window(site: Site, watched: Page) -> None:
    faults: list[str] = []
    for match in (site.finished, *site.others):
        opened(watched, f"/matches/{match.pk}/")
        for width, height in SIZES:
            watched.set_viewport_size({"width": width, "height": height})
            unfit = watched.evaluate(UNFIT)
            faults += [f"{match.ladder.slug} at {width} x {height}, {fault}" for fault in unfit]
    assert not faults, "\n".join(faults)


COVERED = """() => {
  const tag = document.querySelector(".cursor rect").getBoundingClientRect();
  const around = document.querySelector("[data-scrubber]").getBoundingClientRect();
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  const covered = (name) => !apart(tag, name.getBoundingClientRect());
  const names = [...document.querySelectorAll(".chart :is(.phase, .round)")].filter(covered);
  const cut = tag.left < around.left || tag.right > around.right;
  return [...names.map((name) => name.textContent), ...(cut ? ["cut off"] : [])];
}"""
"""The names in the chart that the number of the step covers."""


@pytest.mark.parametrize("size", [(1280, 800), (360, 780)])
def test_the_number_of_the_step_covers_no_name_in_the_chart(site: Site, watched: Page, size: tuple[int, int]) -> None:
    watched.set_viewport_size({"width": size[0], "height": size[1]})
    opened(watched, f"/matches/{site.finished.pk}/#0")
    chapters = watched.evaluate("document.querySelector('game-replay').player.game.chapters.map(({ ply }) => ply)")
    for ply in {*chapters, steps_of(site.finished) - 1}:
        watched.evaluate("(ply) => document.querySelector('game-replay').player.go(ply, 0)", ply)
        assert watched.evaluate(COVERED) == [], ply


CUT = """() => {
  const list = document.querySelector("[data-moves]").getBoundingClientRect();
  const shown = [...document.querySelectorAll("[data-moves] li")].filter((line) => !line.hidden)
    .map((line) => line.getBoundingClientRect()).filter((line) => line.left < list.right && line.top < list.bottom);
  return shown.length === 0 || shown.some((line) => line.bottom > list.bottom + 1);
}"""


def test_no_line_of_the_moves_is_cut_through(site: Site, watched: Page) -> None:
    watched.set_viewport_size({"width": 1280, "height": 800})
    opened(watched, f"/matches/{site.finished.pk}/#0")
    for ply in (0, 30, 63, steps_of(site.finished) - 1):
        watched.evaluate("(ply) => document.querySelector('game-replay').player.go(ply, 0)", ply)
        assert not watched.evaluate(CUT), ply
