"""The table fits its window: with every decision, nothing that a player needs has to be scrolled to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from games.registry import GAMES
from games.rules import Document, State
from ladder.creation import open_house
from ladder.models import Ladder
from tests.browser.hall import NUMBER, TABLE, known, table_of_people
from tests.browser.looker import THUMB
from tests.browser.test_composers import kind_of
from tests.games.play import move_once, seed_of

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SIZES = [(1366, 657), (1280, 800), (1920, 1080), (390, 844), (360, 780), (820, 1180)]

GAMES_PLAYED = 24
"""Random games from which positions are taken."""

SEATED = [
    "Wolfeschlegelsteinhausenbergerdorffuser",
    "Mixed_Majuscules_With_WWWWWWWWWWWWWWWWWW",
    "Stickler",
    "bert_human",
    "eve",
]
"""Usernames, two of them as long as names of bots can be. The others are never cut."""


SEAT = 0
"""The seat of the player who looks at the page."""


def fullness(state: State) -> int:
    """How much there is to show: offers, moves to choose from, tokens of the players."""
    return len(str(state.decision(SEAT))) + len(str(state.view(SEAT)))


@cache
def fullest(slug: str, seats: int) -> dict[str, State]:
    """For each kind of decision of the seat in random games the position with the most to show."""
    widest: dict[str, tuple[int, State]] = {}
    for number in range(GAMES_PLAYED):
        state, random = GAMES[slug].new(seats, seed_of(number)), Random(number)
        while state.pending:
            if SEAT in state.pending:
                kind, size = kind_of(state.decision(SEAT)), fullness(state)
                if kind not in widest or size > widest[kind][0]:
                    widest[kind] = (size, state.copy())
            move_once(state, random)
    return {kind: state for kind, (_, state) in sorted(widest.items())}


def moments(state: State) -> Iterator[Document]:
    """The game so far as the stream of a seat tells it."""
    entries_read = 0
    for ply, at in state.retraced():
        entries = at.entries(SEAT, entries_read)
        entries_read += len(entries)
        view = at.view(SEAT)
        yous = [view["you"] if other == SEAT else None for other in range(state.seats)]
        yield {"ply": ply, "view": view, "yous": yous, "entries": list(entries)}


def asked(state: State, number: int) -> Document:
    """The event with which a page is asked ``number``, with the moments of two rounds."""
    shown = list(moments(state))[-120:]
    present = {
        "seat": SEAT,
        "decision": number,
        "question": state.decision(SEAT) if SEAT in state.pending else None,
        "clock": {"move_ms": 45_000, "bank_ms": 180_000, "left_ms": 225_000},
        "you": state.view(SEAT)["you"],
        "waiting": list(state.pending),
        "clocks": [180_000] * state.seats,
        "here": ["here"] * state.seats,
        "rights": {"resign": True, "resigning": "ended", "claim": False, "return": False, "abort": {}},
        "round": state.rounds_begun,
        "running": True,
        "rated": False,
        "outage_ms": 0,
    }
    return {"type": "moments", "data": {"log_from": 0, "reset": True, "moments": shown, "present": present}}


UNFIT = """async () => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const found = [];
  const root = document.querySelector("sitting-table");
  const { innerHeight: high, innerWidth: wide } = window;
  scrollTo(0, 0);
  const box = (node) => node.getBoundingClientRect();
  const all = (selector) => [...root.querySelectorAll(selector)];
  const seen = (what, node) => {
    if (!node?.checkVisibility()) return found.push(`${what} is not there`);
    const { top, bottom, left, right } = box(node);
    if (top < 0 || bottom > high + 0.5 || left < -0.5 || right > wide + 0.5)
      found.push(`${what} from ${Math.round(top)} to ${Math.round(bottom)}`);
  };
  const composer = root.querySelector(".sitting-composer");
  seen("composer", composer);
  seen("question", composer.querySelector("h2"));
  seen("clock", composer.querySelector(".sitting-time"));
  for (const button of all(".compose-way")) seen("send button", button);
  const hand = ".compose-hand:not(:has(> :nth-child(9))) button";
  for (const control of all(`${hand}, .compose-cellar button`).filter((node) => node.checkVisibility())) {
    seen("bottle or place", control);
    const { width, height } = box(control);
    if (wide < 700 && Math.min(width, height) < LINE) found.push(`bottle or place of ${width} x ${height} px`);
  }
  const others = all(".acting, .cellars .seat, .cellars .link").filter((node) => node.checkVisibility());
  for (const seat of [root.querySelector("[data-own], .own"), ...others]) {
    seen("seat", seat);
    const under = box(seat).bottom - box(composer).top;
    if (under > 1) found.push(`seat ${Math.round(under)} px below the composer`);
  }
  for (const card of all(".row :is(.gem-card, .event-card)").filter((node) => node.checkVisibility())) {
    const out = box(card).right - box(card.closest(".row")).right;
    if (out > 1) found.push(`card ${Math.round(out)} px outside its row`);
  }
  for (const name of all(":is(.row, .seat) .seat-name").filter((node) => node.checkVisibility())) {
    const { clientWidth, clientHeight, scrollWidth, scrollHeight, textContent } = name;
    const isCut = scrollWidth > clientWidth || scrollHeight > clientHeight + 1;
    if (textContent.length < 12 && isCut) found.push(`${textContent}: ${scrollWidth} x ${scrollHeight} px`);
  }
  if (document.documentElement.scrollWidth > wide) found.push(`${document.documentElement.scrollWidth} px wide`);
  if (wide < 700) {
    for (const seat of all(".idle")) if (box(seat).height > LINE) found.push(`idle seat of ${box(seat).height} px`);
    if (box(document.querySelector(".head")).height > 48) found.push("head of two lines");
  } else if (wide > 1020) {
    const panel = root.querySelector("[data-panel=moves]");
    seen("moves", panel);
    if (box(panel).height < 5 * 25) found.push(`${box(panel).height} px of moves`);
  }
  return found;
}""".replace("LINE", str(THUMB))
"""The parts of a decision that are not in the window. On phones, an idle seat is a line as high as a thumb at most."""


GAMES_OF_PEOPLE = ("edel-stein-reich-{}-people", "die-weinhaendler-{}-people")


def test_nothing_needs_to_be_scrolled_to(browser: Browser, live_server: LiveServer, transactional_db: None) -> None:
    open_house()
    for slug in (
        *(game.format(4) for game in GAMES_OF_PEOPLE),
        "edel-stein-reich-duel-people",
        "die-weinhaendler-3-people",
    ):
        assert unfit(table_page(browser, live_server, Ladder.objects.get(slug=slug))) == []


@pytest.mark.parametrize("game", GAMES_OF_PEOPLE)
def test_longer_texts_fit_as_well(
    game: str, browser: Browser, live_server: LiveServer, transactional_db: None, pseudo_language: str
) -> None:
    open_house()
    ladder = Ladder.objects.get(slug=game.format(5))
    assert unfit(table_page(browser, live_server, ladder, pseudo_language)) == []


CUT = """() => [...document.querySelectorAll(".cellars :is(.to, .state)")]
  .filter((node) => node.checkVisibility() && node.scrollWidth > node.clientWidth)
  .map((node) => node.textContent)"""
"""The lines that say what a player does, or where bottles go, and are cut."""


def test_what_players_do_is_not_cut_at_a_table_of_five_cellars(
    browser: Browser, live_server: LiveServer, transactional_db: None
) -> None:
    open_house()
    names = ["ben", "Cellarman", "Sommelier", "Abstainer", "Dreamer"]
    table = table_page(browser, live_server, Ladder.objects.get(slug="die-weinhaendler-5-people"), names=names)
    table.page.set_viewport_size({"width": 1280, "height": 800})
    cut: dict[str, int] = {}
    for number, state in enumerate(every_question("die-weinhaendler", 5), start=5):
        tell(table, asked(state, number))
        table.page.wait_for_function(f"(number) => {NUMBER} === number", arg=number)
        for text in table.page.evaluate(CUT):
            cut[text] = number
    table.page.context.close()
    assert cut == {}


def every_question(slug: str, seats: int) -> Iterator[State]:
    """The positions of two random games in which the seat decides."""
    for game in range(2):
        state, random = GAMES[slug].new(seats, seed_of(game)), Random(game)
        while state.pending:
            if SEAT in state.pending:
                yield state.copy()
            move_once(state, random)


def tell(table: TablePage, event: Document) -> None:
    table.page.evaluate("(event) => document.querySelector('sitting-table').heard(event)", event)


def test_on_a_phone_the_own_cellar_and_the_result_fill_the_window_at_the_end(
    browser: Browser, live_server: LiveServer, transactional_db: None
) -> None:
    open_house()
    table = table_page(browser, live_server, Ladder.objects.get(slug="die-weinhaendler-4-people"))
    state, random = GAMES[table.ladder.game].new(table.ladder.seats, seed_of(3)), Random(3)
    while state.pending:
        move_once(state, random)
    tell(table, not_asked(state, []))
    tell(table, {"type": "end", "data": {"status": "finished", "outcome": state.outcome}})
    for width, height in ((390, 844), (360, 780)):
        table.page.set_viewport_size({"width": width, "height": height})
        cellar, result = (table.page.locator(part).bounding_box() for part in (".own .cellar", ".sitting-end"))
        assert cellar is not None
        assert result is not None
        assert cellar["height"] > height / 4
        assert cellar["y"] + cellar["height"] <= result["y"]
        assert result["y"] + result["height"] <= height
    table.page.context.close()


def test_on_a_phone_the_chat_leaves_a_line_to_the_waiting_bar(
    browser: Browser, live_server: LiveServer, transactional_db: None
) -> None:
    open_house()
    for game in GAMES_OF_PEOPLE:
        table = table_page(browser, live_server, Ladder.objects.get(slug=game.format(4)))
        state = next(iter(fullest(table.ladder.game, table.ladder.seats).values()))
        tell(table, not_asked(state, [2]))
        table.page.set_viewport_size({"width": 390, "height": 844})
        table.page.locator("[data-show-moves]").click()
        table.page.locator("[data-tab=talk]").click()
        bar, presets = (table.page.locator(part).bounding_box() for part in (".sitting-foot", ".sitting-presets"))
        assert bar is not None
        assert presets is not None
        assert bar["height"] < 2 * THUMB
        assert presets["y"] + presets["height"] <= bar["y"]
        table.page.context.close()


def not_asked(state: State, waiting: list[int]) -> Document:
    """The event with the moments so far while nothing is asked: the game waits for others, or it is over."""
    event = asked(state, 5)
    rest = {"decision": None, "question": None, "clock": None, "waiting": waiting, "running": bool(waiting)}
    event["data"]["present"] |= rest
    return event


SILENT = """(() => {
  const { fetch } = window;
  const isStream = (address) => String(address).endsWith("/seat/stream");
  window.fetch = (...wanted) => (isStream(wanted[0]) ? new Promise(() => {}) : fetch(...wanted));
})()"""
"""Keeps a page from requesting its stream: a test tells it the events."""


@dataclass(frozen=True)
class TablePage:
    """The page of a table for a player, in a browser."""

    ladder: Ladder
    page: Page


def unfit(table: TablePage) -> list[str]:
    """What does not fit, by kind of decision and size."""
    faults: list[str] = []
    for number, (kind, state) in enumerate(fullest(table.ladder.game, table.ladder.seats).items(), start=5):
        tell(table, asked(state, number))
        table.page.wait_for_function(f"(number) => {NUMBER} === number", arg=number)
        for width, height in SIZES:
            table.page.set_viewport_size({"width": width, "height": height})
            faults += [f"{kind} at {width} x {height}: {fault}" for fault in table.page.evaluate(UNFIT)]
    table.page.context.close()
    return faults


def table_page(
    browser: Browser, live_server: LiveServer, ladder: Ladder, language: str = "en", names: Sequence[str] = SEATED
) -> TablePage:
    """Open a live table, by default of players with long names. Its stream sends nothing."""
    names = names[: ladder.seats]
    match = table_of_people(ladder, names)
    page = browser.new_context(base_url=live_server.url, reduced_motion="reduce").new_page()
    client = Client()
    client.force_login(known(names[SEAT]))
    cookies = {settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value}
    cookies[settings.LANGUAGE_COOKIE_NAME] = language
    page.context.add_cookies(
        [{"name": name, "value": value, "url": live_server.url} for name, value in cookies.items()]
    )
    page.add_init_script(SILENT)
    page.route("**/moves/", lambda route: route.fulfill(body="<p>No moves yet.</p>"))
    page.goto(f"/play/tables/{match.pk}/")
    page.wait_for_function(f"() => {TABLE}.decision")
    return TablePage(ladder, page)
