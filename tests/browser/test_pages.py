from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.looker import AXE, AXE_SCRIPT, PHONE, Looker
from tests.build import finish_game
from tests.ladder.pages.site import Site, block_like, finish_queued, rename

pytestmark = pytest.mark.slow

DRAWN_APART = ("edel-stein-reich-5", "edel-stein-reich-duel", "die-weinhaendler-5")
"""Ladders with a match whose page is looked at, beside that for four: tables of other sizes look alike."""

THE_SEARCH = ""  # a field has no text
LONG = "A bot with a name as long as any name of a bot may ever be 60"


def test_every_page_fits_its_window_and_axe_finds_nothing(site: Site, looker: Looker) -> None:
    rename(site.bot, LONG)
    alike = {f"/matches/{match.pk}/" for match in site.others if match.ladder.slug not in DRAWN_APART}
    looker.open(
        *[address for address in site.addresses if address not in alike],
        "/search/?q=house",
        "/terms/",
        "/docs/reference/limits/",
    )


def test_the_keyboard_reaches_the_content_and_every_section(site: Site, watched: Page) -> None:
    watched.goto("/")
    watched.keyboard.press("Tab")
    expect(watched.locator(".skip")).to_be_focused()
    reached = []
    for _ in range(12):
        watched.keyboard.press("Tab")
        reached.append(watched.evaluate("document.activeElement.textContent.trim()"))
    assert reached[1:-2] == ["Play", "Ladders", "Cups", "Matches", "Bots", "Rules", "Docs", "About", THE_SEARCH]
    assert watched.evaluate("document.activeElement.matches('.person a')")
    watched.keyboard.press("Shift+Tab")
    assert watched.evaluate("document.activeElement.matches('[data-theme-select] select')")
    outline = watched.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    assert outline == "3px"
    watched.locator(".skip").focus()
    watched.keyboard.press("Enter")
    expect(watched.locator("main")).to_be_focused()


def test_the_chosen_theme_stays_from_page_to_page(site: Site, watched: Page) -> None:
    watched.emulate_media(color_scheme="light")
    watched.goto("/")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = watched.evaluate(paper)
    theme = watched.locator("[data-theme-select] select")
    theme.select_option("light")
    assert watched.evaluate(paper) == light
    theme.select_option("dark")
    dark = watched.evaluate(paper)
    assert dark != light
    watched.goto("/rules/")
    assert watched.evaluate(paper) == dark
    expect(theme).to_have_value("dark")
    theme.select_option("system")
    assert watched.evaluate(paper) == light


def test_a_phone_has_one_bar_and_a_menu_that_the_keyboard_opens_and_closes(site: Site, looker: Looker) -> None:
    page = looker.page
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.goto("/")
    assert page.evaluate("document.querySelector('.head').getBoundingClientRect().height") <= 48
    menu, ladders = page.locator("#menu"), page.locator("#menu a[href='/ladders/']")
    expect(ladders).not_to_be_visible()
    page.locator("[popovertarget=menu]").focus()
    page.keyboard.press("Enter")
    expect(menu.locator("[data-theme-select]")).to_be_visible()
    assert page.evaluate(AXE_SCRIPT + f"; ({AXE})(null)") == []
    page.keyboard.press("Tab")
    expect(ladders).to_be_focused()
    page.keyboard.press("Escape")
    expect(ladders).not_to_be_visible()


def test_the_gems_and_marks_are_drawn(site: Site, watched: Page) -> None:
    watched.goto(f"/matches/{site.finished.pk}/")
    for kind in (".result .gem", ".result .mark", ".home .logo"):
        box = watched.locator(kind).first.bounding_box()
        assert box is not None
        assert box["width"] > 10
    referenced = watched.evaluate(
        """async () => {
            const uses = [...document.querySelectorAll('use')].map((use) => use.href.baseVal.split('#'));
            const sheets = new Map();
            for (const [sheet] of uses.filter(([sheet]) => sheet)) {
                sheets.set(sheet, sheets.get(sheet) ?? await (await fetch(sheet)).text());
            }
            const drawn = ([sheet, name]) =>
                sheet ? sheets.get(sheet).includes(`id="${name}"`) : document.getElementById(name) !== null;
            return uses.filter((use) => !drawn(use));
        }"""
    )
    assert referenced == []


def test_the_legend_has_the_colours_of_the_table_and_appears_only_with_standings(site: Site, watched: Page) -> None:
    watched.goto(f"/ladders/{site.ladder.slug}/")
    for scheme in ("light", "dark"):
        watched.emulate_media(color_scheme=scheme)
        fills = "(name) => getComputedStyle(document.querySelector(`.legend ${name}`)).fill"
        assert watched.evaluate(fills, ".reach") == watched.evaluate(fills, ".point")
    watched.goto("/ladders/edel-stein-reich-4-people/")
    expect(watched.locator(".legend, [data-filters]")).to_have_count(0)


def test_heads_are_as_wide_as_their_tables_and_rules_go_through_whole_rows(site: Site, watched: Page) -> None:
    watched.goto("/bots/new/")
    wide = "(part) => document.querySelector(`#languages ${part}`).getBoundingClientRect().width"
    assert watched.evaluate(wide, "thead") == watched.evaluate(wide, "table")
    watched.goto(f"/ladders/{site.ladder.slug}/integrity/")
    ruled = "getComputedStyle(document.querySelector('tbody th[scope=row]')).borderBottomWidth"
    assert watched.evaluate(ruled) == "1px"


def test_a_match_that_is_watched_shows_its_result_by_itself_and_its_game_when_its_block_is_over(
    site: Site, watched: Page
) -> None:
    block = block_like(site.finished)
    match = block.matches.select_related("ladder").order_by("seating")[0]
    watched.goto(f"/matches/{match.pk}/")
    expect(watched.get_by_text("This match is queued")).to_be_visible()
    finish_game(match)
    expect(watched.get_by_role("heading", name="Result")).to_be_visible(timeout=60_000)
    expect(watched.get_by_role("slider")).not_to_be_visible()
    finish_queued(block)
    expect(watched.get_by_role("slider", name="Money over time")).to_be_visible(timeout=60_000)


def test_a_replay_for_other_sites_is_drawn_and_axe_finds_nothing(site: Site, looker: Looker) -> None:
    page = looker.page
    page.goto(f"/embed/{site.finished.pk}/")
    expect(page.get_by_role("slider")).to_be_visible()
    looker.look("embedded")


FRAMES = """<!doctype html><title>Another site</title>
<iframe name="replay" src="{site}/embed/{match}/" width="800" height="700"></iframe>
<iframe name="page" src="{site}/matches/{match}/" width="800" height="700"></iframe>"""


@contextmanager
def served(html: str) -> Iterator[str]:
    """Serve one page on a separate port. Yield the URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("localhost", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def test_another_site_shows_a_replay_in_a_frame_and_no_other_page(
    site: Site, browser: Browser, live_server: LiveServer
) -> None:
    page = browser.new_context().new_page()
    blocked: list[str] = []
    page.on("console", lambda message: blocked.append(message.text) if "frame-ancestors" in message.text else None)
    with served(FRAMES.format(site=live_server.url, match=site.finished.pk)) as other:
        page.goto(other)
        expect(page.frame_locator("[name=replay]").get_by_role("slider")).to_be_visible()
    expect(page.frame_locator("[name=replay]").locator(".gems-board")).to_be_visible()
    expect(page.frame_locator("[name=page]").locator("#match")).to_have_count(0)
    assert len(blocked) == 1
    page.context.close()


def test_a_chapter_can_be_linked_to(site: Site, watched: Page) -> None:
    watched.goto(f"/matches/{site.finished.pk}/")
    expect(watched.get_by_role("slider")).to_be_visible()
    watched.locator("[data-do=text]").last.click()
    watched.locator(".contents summary").click()
    link = watched.locator(".contents a").nth(5)
    address = link.get_attribute("href")
    assert address is not None
    link.click()
    assert watched.url.endswith(address)
    expect(watched.locator(f"[id='{address[1:]}']")).to_be_in_viewport()


def test_everything_can_be_read_without_javascript(site: Site, browser: Browser, live_server: LiveServer) -> None:
    context = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, viewport={"width": 360, "height": 780}
    )
    page = context.new_page()
    page.goto(f"/matches/{site.finished.pk}/")
    expect(page.locator("#text h2")).to_be_visible()
    page.locator("[popovertarget=menu]").click()
    expect(page.locator("#menu a[href='/ladders/']")).to_be_visible()
    expect(page.locator("[data-theme-select]")).not_to_be_visible()
    context.close()


def test_the_home_page_plays_a_replay_in_a_place_that_does_not_move(site: Site, watched: Page) -> None:
    clip, below = watched.locator("game-clip"), watched.locator("#leaders")
    watched.goto("/")
    before = below.bounding_box()
    start = clip.get_attribute("data-start")
    assert start
    expect(clip).to_have_attribute("data-playing", "true")
    expect(clip).not_to_have_attribute("data-ply", start)
    assert below.bounding_box() == before
    clip.locator("[data-toggle]").click()
    expect(clip).to_have_attribute("data-playing", "false")
    watched.emulate_media(reduced_motion="reduce")
    watched.goto("/")
    expect(clip).to_have_class(re.compile("begun"))
    expect(clip).to_have_attribute("data-ply", start)
    expect(clip).to_have_attribute("data-playing", "false")


FIRST_LINES = """() => [...document.querySelectorAll("tbody tr")].flatMap((row) => {
    const cells = [...row.cells].filter((cell) => cell.textContent.trim() && !cell.matches(".axis"));
    const heights = cells.map((cell) => {
        cell.style.setProperty("vertical-align", "top", "important");
        const probe = document.createElement("span");
        probe.style.display = "inline-block";
        cell.prepend(probe);
        return probe;
    }).map((probe) => probe.getBoundingClientRect().bottom);
    const apart = Math.max(...heights) - Math.min(...heights);
    return apart > 1 ? [`${row.textContent.replace(/\\s+/g, " ")}: ${heights}`] : [];
})"""
"""Rows whose cells have several baselines if all cells are aligned at their tops, as Chromium does on paper."""


def test_on_paper_all_cells_of_a_row_have_one_baseline(site: Site, watched: Page) -> None:
    watched.emulate_media(media="print")
    for address in (f"/ladders/{site.ladder.slug}/", f"/bots/{site.bot.slug}/", f"/matches/{site.finished.pk}/"):
        watched.goto(address)
        assert watched.locator("tbody tr").count() > 1
        assert watched.evaluate(FIRST_LINES) == []
