"""The drawing of Edel, Stein & Reich and of its two-player variant, on every step of real games."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page

from games.edel_stein_reich.cards import Gems
from games.edel_stein_reich.offers import key
from games.edel_stein_reich.story.words import why_higher
from games.replays import replay_document
from games.rules import Document
from tests.games.play import sample_records

CHECKS = (Path(__file__).parent / "gems_board.js").read_text(encoding="utf-8").split("\n", 1)[1].rstrip().rstrip(";")
NAMES = ["magpie", "kontor", "tulip", "abacus", "wagtail"]
TABLES = ["edel-stein-reich-3", "edel-stein-reich-4", "edel-stein-reich-5", "edel-stein-reich-duel-2"]


def games_of(table: str, count: int) -> list[Document]:
    """Sample records that were played to the end."""
    records = [record for name, record in sample_records().items() if name.startswith(f"{table}:")]
    return records[:count]


def ready(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/about/")
    page.evaluate(
        """async () => {
          const sheet = Object.assign(document.createElement("link"), {rel: "stylesheet"});
          const there = new Promise((loaded) => sheet.addEventListener("load", loaded));
          sheet.href = "/static/esr/boards/gems.css";
          document.head.append(sheet);
          await there;
        }"""
    )


@pytest.mark.slow
def test_every_scene_shows_what_its_view_says(watched: Page, transactional_db: None) -> None:
    for width, seen_by in ((1280, None), (360, 0)):
        ready(watched, width)
        for table in TABLES:
            record = games_of(table, 2)[1 if seen_by is None else 0]
            arguments = {"replay": replay_document(record), "names": NAMES[: record["seats"]], "seat": seen_by}
            assert watched.evaluate(CHECKS, arguments)[:5] == [], (table, width)


RELOADED = """async ({ replay, names }) => {
  const { remember } = await import("/static/esr/boards/gems.js");
  const { Game } = await import("/static/esr/replay/game.js");
  const game = new Game(replay, names);
  const follows = (entries) => entries.length > 0 && entries.every(({ step }) => !step || step.chance);
  const moments = [];
  for (let ply = 0; ply < game.tables.length; ply += 1) {
    const scene = game.bare(ply, null);
    const before = follows(scene.entries) && moments.length ? moments.pop().entries : [];
    moments.push({ ...scene, entries: [...before, ...scene.entries] });
  }
  const fold = (some) => {
    let memory = null;
    return some.map((scene) => (memory = remember(memory, { ...scene, standing: memory })));
  };
  const whole = fold(moments);
  const round = (scene) => scene && JSON.stringify([scene.view.phase, scene.view.round]);
  const starts = moments.flatMap((scene, place) => (round(scene) === round(moments[place - 1]) ? [] : [place]));
  return starts.flatMap((start, place) => {
    const [from, to] = [starts[place + 1] ?? moments.length, starts[place + 2] ?? moments.length];
    const anew = fold(moments.slice(start, to)).slice(from - start);
    const told = ({ round, past, barter, ended }) => JSON.stringify([round, past, barter, ended]);
    const pairs = anew.map((memory, at) => [memory, whole[from + at]].map(told));
    return pairs.flatMap(([mine, theirs]) => (mine === theirs ? [] : [`${start}: ${mine}, not ${theirs}`]));
  });
}"""
"""The memory of a reloaded page. It gets the round before the current one, and everything after that."""


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_a_reloaded_page_remembers_the_same_as_a_page_that_stayed_open(
    watched: Page, transactional_db: None, table: str
) -> None:
    ready(watched, 1280)
    for record in games_of(table, 3):
        arguments = {"replay": replay_document(record), "names": NAMES[: record["seats"]]}
        assert watched.evaluate(RELOADED, arguments)[:3] == []


@pytest.mark.slow
def test_the_last_scoring_names_the_winner_of_the_result(watched: Page, transactional_db: None) -> None:
    ready(watched, 1280)
    replay = replay_document(games_of("edel-stein-reich-3", 1)[0])
    richest = replay["outcome"]["ranks"].index(1)
    ranks = [3 if seat == richest else 1 + (seat == (richest + 2) % 3) for seat in range(3)]
    shown = watched.evaluate(
        """async ({ replay, names, ranks }) => {
          const board = await import("/static/esr/boards/gems.js");
          const { Game } = await import("/static/esr/replay/game.js");
          const game = new Game(replay, names);
          const { draw, side } = board.mount(document.querySelector("main"), { seats: 3, names, ranks });
          draw(game.scene(game.last, null, board.remember));
          const shown = [side.querySelector("h2"), ...side.querySelectorAll(".ranking .seat-name")];
          return shown.map((node) => node.textContent);
        }""",
        {"replay": replay, "names": NAMES[:3], "ranks": ranks},
    )
    in_order = [NAMES[ranks.index(rank)] for rank in (1, 2, 3)]
    assert shown[0].startswith(f"{in_order[0]} wins with")
    assert shown[1:] == in_order


@pytest.mark.slow
def test_the_winner_is_named_when_all_is_paid(watched: Page, transactional_db: None) -> None:
    ready(watched, 1280)
    replay = replay_document(games_of("edel-stein-reich-4", 1)[0])
    shown = watched.evaluate(
        """async ({ replay, names }) => {
          const board = await import("/static/esr/boards/gems.js");
          const { Game } = await import("/static/esr/replay/game.js");
          const game = new Game(replay, names);
          const { draw, move, side } = board.mount(document.querySelector("main"), { seats: replay.seats, names });
          document.querySelector("main").append(side);
          const [from, to] = [game.last - 1, game.last].map((ply) => game.scene(ply, null, board.remember));
          const visible = () => side.querySelector(".ranking").checkVisibility({ visibilityProperty: true });
          draw(from);
          const done = move(from, to, { milliseconds: 50 });
          const during = visible();
          await done;
          const after = visible();
          move(from, to, { milliseconds: 60000 });
          draw(to);
          return [during, after, visible()];
        }""",
        {"replay": replay, "names": NAMES[: replay["seats"]]},
    )
    assert shown == [False, True, True]


@pytest.mark.slow
def test_a_scene_that_arrives_during_an_animation_is_drawn_immediately(watched: Page, transactional_db: None) -> None:
    ready(watched, 1280)
    replay = replay_document(games_of("edel-stein-reich-4", 1)[0])
    left = watched.evaluate(
        """async ({ replay, names }) => {
          const board = await import("/static/esr/boards/gems.js");
          const { Game } = await import("/static/esr/replay/game.js");
          const game = new Game(replay, names);
          const root = document.querySelector("main");
          const drawn = board.mount(root, { game: replay.game, seats: 4, names });
          const scene = (ply) => game.scene(ply, null, board.remember);
          drawn.draw(scene(0));
          const moves = [];
          for (let ply = 1; ply <= game.last; ply++) {
            moves.push(drawn.move(scene(ply - 1), scene(ply), { milliseconds: 400 }));
          }
          await Promise.all(moves);
          const millions = [...root.querySelectorAll(".scored .millions")].map((one) => Number(one.textContent));
          return [root.querySelectorAll(".flying").length, millions];
        }""",
        {"replay": replay, "names": NAMES[:4]},
    )
    assert left == [0, [score["money"] for score in replay["outcome"]["scores"]]]


@pytest.mark.slow
def test_offers_are_compared_as_the_engine_compares_them(watched: Page, transactional_db: None) -> None:
    watched.goto("/about/")
    random = Random(14)
    cases: list[tuple[Gems, Gems]] = [(some(random), some(random)) for _ in range(400)]
    answers: list[dict[str, Any]] = watched.evaluate(
        """async (cases) => {
          const { compare, verdict, whyHigher } = await import("/static/esr/boards/gems/offers.js");
          return cases.map(([one, other]) => {
            const sign = Math.sign(compare(one, other));
            const said = verdict(other, one, [9, 9, 9, 9]);
            return { sign, higher: said.higher, said: said.text, why: sign > 0 ? whyHigher(other, one) : null };
          });
        }""",
        cases,
    )
    for (offer, other), answer in zip(cases, answers, strict=True):
        above, below = key(offer) > key(other), key(offer) < key(other)
        assert answer["sign"] == above - below, (offer, other)
        assert answer["higher"] is above, (offer, other)
        assert answer["said"].startswith("Higher offer." if above else "Not high enough."), (offer, other, answer)
        if above:
            assert answer["why"] == why_higher(other, offer)


@pytest.mark.slow
def test_a_composer_says_what_would_make_an_offer_higher(watched: Page, transactional_db: None) -> None:
    watched.goto("/about/")
    verdicts = watched.evaluate(
        """async () => {
          const { verdict } = await import("/static/esr/boards/gems/offers.js");
          return [
            verdict([0, 0, 2, 0], [0, 0, 0, 2], [2, 4, 5, 2]),
            verdict([0, 0, 2, 0], [0, 1, 0, 1], [2, 4, 5, 2]),
            verdict([0, 0, 2, 0], [0, 0, 0, 0], [2, 4, 5, 2]),
            verdict([3, 0, 0, 0], [2, 0, 0, 0], [2, 0, 0, 0]),
            verdict(null, [0, 0, 0, 0], [3, 3, 3, 3]),
          ].map(({ higher, column, text }) => [higher, column, text]);
        }"""
    )
    assert verdicts == [
        [
            False,
            2,
            (
                "Not high enough. Two gems each, but their offer has more green. "
                "Add any gem, or change a blue gem to red or yellow."
            ),
        ],
        [True, 1, "Higher offer. Two gems each, but your yellow ranks above green."],
        [False, None, "Not high enough. Their offer has two more gems. Add at least two gems."],
        [False, None, "Not high enough. Their offer has one more gem. You cannot make a higher offer."],
        [False, None, "Offer at least one gem or make no offer."],
    ]


def some(random: Random) -> Gems:
    """An offer of one to six gems."""
    colours = random.choices(range(4), k=random.randint(1, 6))
    return (colours.count(0), colours.count(1), colours.count(2), colours.count(3))


@pytest.mark.slow
def test_parts_stand_alone_for_pages_that_explain(watched: Page, transactional_db: None) -> None:
    ready(watched, 360)
    shown = watched.evaluate(
        """async () => {
          document.querySelector("main").innerHTML = `
            <gems-part card="4RYGB"></gems-part><gems-part event="sole:R"></gems-part>
            <gems-part action="gems"></gems-part>
            <gems-part gems="RRRRR" lead="alone" returned="3"></gems-part><gems-part offer="GG" above="R"></gems-part>
            <gems-part back="events"></gems-part><gems-part money="21"></gems-part>`;
          await import("/static/esr/boards/gems/parts.js");
          return [...document.querySelectorAll("gems-part")].map((part) => part.textContent.trim());
        }"""
    )
    assert shown[0] == "4Gem card: 4 million or 1 red, 1 yellow, 1 green and 1 blue"
    assert shown[1] == "Scoring card: 8 for red alone"
    assert shown[2] == "Gems"
    assert shown[3] == "55 red, sole majority"
    assert shown[4] == "one more gem"
    assert shown[6] == "2121"
