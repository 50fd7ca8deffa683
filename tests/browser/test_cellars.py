"""The table of Die Weinhändler draws what the views of real games say, at every step and from every seat."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from games.registry import GAMES
from games.replays import replay_document
from tests.games.play import sample_records

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

NAMES = ["vintner", "lees", "magpie", "cooper", "abacus"]

MOUNT = """async ([record, names, tokens]) => {
    const { Game } = await import('/static/esr/replay/game.js');
    const board = await import('/static/esr/boards/cellars.js');
    const sheets = ['drawings/bottle.css', 'boards/cellars.css'].map((name) => new Promise((done) => {
        const link = Object.assign(document.createElement('link'), {rel: 'stylesheet', href: `/static/esr/${name}`});
        link.onload = done;
        document.head.append(link);
    }));
    await Promise.all(sheets);
    const game = new Game(record, names);
    const root = document.querySelector('main');
    const drawn = board.mount(root, {seats: game.seats, names, tokens});
    const scene = (ply, seat = null) => game.scene(ply, seat, board.remember);
    Object.assign(window, {game, board, drawn, root, scene});
    drawn.draw(scene(0));
    return game.last;
}"""
"""Puts the table of one game in the place of a page's content."""

FAULTS = """() => {
    const faults = [];
    const count = (selector) => root.querySelectorAll(selector).length;
    const check = (where, what, found, wanted) => found === wanted || faults.push([...where, what, found, wanted]);
    const hands = ({view, yous}, where) => view.players.forEach((player, seat) => {
        const own = `.seat:nth-child(${seat + 1})`;
        const open = yous[seat] ? player.hand : player.known.length;
        check(where, `open hand ${seat}`, count(`${own} .hand [data-code]`), open);
        check(where, `backs ${seat}`, count(`${own} .hand [data-back]`), player.hand - open);
        check(where, `laid ${seat}`, count(`${own} .niche [data-code]`), player.cellars.flat().length);
        check(where, `cellars ${seat}`, count(`${own} .cellar`), Math.max(1, player.cellars.length));
        check(where, `points ${seat}`, root.querySelector(`${own} .points b`).textContent, String(player.points));
    });
    for (const seat of [null, 1]) {
        for (let ply = 0; ply <= game.last; ply += seat === null ? 1 : 3) {
            const now = scene(ply, seat);
            const {view, entries} = now;
            drawn.draw(now);
            const where = [ply, seat];
            check(where, 'display', count('.link.display [data-code]'), view.display.length);
            const bids = view.players.map((player) => player.bid.length).reduce((a, b) => a + b);
            if (view.stage === 'bid') check(where, 'bids', count('.link:not(.display, .bare) [data-code]'), bids);
            check(where, 'below', count('.bottom [data-code]'), view.stack_bottom.length);
            check(where, 'asked', count('.seat.asked'), view.turn === null ? 0 : 1);
            hands(now, where);
            const trios = entries.flatMap(({event}) => (event?.type === 'laid' ? event.trios : []));
            const lit = new Set(trios.flat().map(String)).size;
            check(where, 'lit', count('.niche.trio'), lit);
        }
    }
    return faults.slice(0, 10);
}"""

JUMPS = """async () => {
    const far = [];
    for (let ply = 0; ply <= game.last; ply += 7) {
        drawn.draw(scene(ply));
        const seen = root.innerHTML;
        drawn.draw(scene((ply * 37 + 11) % (game.last + 1)));
        drawn.draw(scene(ply));
        if (root.innerHTML !== seen) far.push([ply, seen, root.innerHTML]);
    }
    let last = null;
    for (let ply = 1; ply <= game.last; ply += 1) last = drawn.move(scene(ply - 1), scene(ply), {milliseconds: 40});
    await last;
    const moved = root.innerHTML;
    drawn.draw(scene(game.last));
    if (root.innerHTML !== moved) far.push('moved');
    return far;
}"""

ORDER = """() => {
    const faults = [];
    for (let ply = 0; ply <= game.last; ply += 1) {
        const now = scene(ply);
        drawn.draw(now);
        const bids = now.view.players.filter((player) => player.bid.length).map((player) => player.total / 10);
        const sums = [...root.querySelectorAll('.link .sum')].map((sum) => Number(sum.textContent)).filter(Boolean);
        const wanted = String(bids.sort((a, b) => b - a));
        if (now.view.stage === 'bid' && String(sums) !== wanted) faults.push([ply, sums, bids]);
    }
    return faults;
}"""


def games() -> dict[int, dict[str, Any]]:
    """One finished sample game for every number of seats."""
    wine = [record for record in sample_records().values() if record["game"] == "die-weinhaendler"]
    return {record["seats"]: record for record in wine if not any(record.get("forfeits", {}).values())}


def mount(page: Page, record: dict[str, Any]) -> int:
    """Draw its first scene; the last step."""
    tokens = dict(GAMES["die-weinhaendler"].presentation.tokens)
    last: int = page.evaluate(MOUNT, [replay_document(record), NAMES[: record["seats"]], tokens])
    return last


def test_every_scene_shows_what_its_view_says(watched: Page) -> None:
    watched.goto("/about/")
    for record in games().values():
        assert mount(watched, record) > 50
        assert watched.evaluate(FAULTS) == []
        assert watched.evaluate(ORDER) == []
    assert watched.evaluate(JUMPS) == []


SEATED = """() => {
    const order = [3, 4, 0, 1, 2];
    drawn = board.mount(root, {seats: game.seats, names: game.names, tokens: {}, order});
    drawn.draw(scene(game.last, 2));
    const seats = [...root.querySelectorAll('.seats > .seat')];
    const far = (seat) => Math.round(seat.getBoundingClientRect().bottom) * 10_000 + seat.getBoundingClientRect().right;
    const last = seats.reduce((one, other) => (far(other) > far(one) ? other : one));
    return [seats.map((seat) => seat.ariaLabel), last.ariaLabel, last.matches('.own')];
}"""
"""How they sit where the third one plays: who stands where, and who is the last one of the lowest."""


@pytest.mark.parametrize("width", [1280, 360])
def test_the_own_seat_is_drawn_last(watched: Page, width: int) -> None:
    watched.set_viewport_size({"width": width, "height": 740})
    watched.goto("/about/")
    mount(watched, games()[5])
    order = ["cooper", "abacus", "vintner", "lees", "magpie"]
    assert watched.evaluate(SEATED) == [order, "magpie", True]


def test_on_a_phone_a_tap_opens_a_cellar_and_a_second_one_follows_the_game(watched: Page) -> None:
    watched.set_viewport_size({"width": 360, "height": 740})
    watched.goto("/about/")
    last = mount(watched, games()[5])
    watched.evaluate("drawn.draw(scene(game.last, 2))")
    opened = watched.locator(".seat.is-open")
    expect(opened).to_have_attribute("aria-label", "magpie")
    watched.get_by_role("button", name="Cellar of abacus").click()
    expect(opened).to_have_attribute("aria-label", "abacus")
    watched.evaluate(f"drawn.draw(scene({last - 1}, 2))")
    expect(opened).to_have_attribute("aria-label", "abacus")
    watched.get_by_role("button", name="Cellar of abacus").click()
    expect(opened).to_have_attribute("aria-label", "magpie")
    assert watched.evaluate("document.documentElement.scrollWidth") == 360
