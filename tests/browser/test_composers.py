"""What is put together by hand: every legal move can be, by mouse, finger and keyboard; nothing else can be sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from games.registry import GAMES
from games.rules import Document, IllegalMove, Move, State
from tests.browser.looker import Looker
from tests.games.play import TABLES, move_once, seed_of

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

HARNESS = (Path(__file__).parent / "composers.js").read_text(encoding="utf-8").split("\n", 1)[1].rstrip().rstrip(";")
SHEETS = [
    "drawings/bottle.css",
    "drawings/gem.css",
    "boards/gems.css",
    "boards/cellars.css",
    "boards/plain.css",
    "table.css",
    "composers/composer.css",
    "composers/plain.css",
    "composers/gems.css",
    "composers/cellars.css",
]
NAMES = ["magpie", "kontor", "tulip", "abacus", "wagtail"]

PER_KIND = 6
"""Positions of every kind of decision at every table."""

MOVES = 14
"""So many of the legal moves of one position are composed where there are more."""

FOREIGN: list[Any] = [
    {"offer": [99, 0, 0, 0]},
    {"picks": {"give": "X"}},
    {"bottle": 99, "cell": [9, 9]},
    [],
    "draft",
    {},
]
"""Drafts that belong to no decision."""


def kind_of(question: Document) -> str:
    """Kinds as forms see them: an immediate card is one of its own."""
    if question["kind"] == "free_choice":
        return "free_choice:alone" if question["alone"] else "free_choice"
    if question["kind"] == "lay":
        return "lay:must" if question["must_lay"] else "lay"
    return f"immediate:{question['card']}" if question["kind"] == "immediate" else str(question["kind"])


def position(state: State, seat: int) -> Document:
    """What a composer is given, and the moves to compose."""
    view, question = state.view(seat), state.decision(seat)
    legal = list(state.legal_moves(seat))
    random = Random(len(legal))
    moves = legal if len(legal) <= MOVES else [legal[0], legal[-1], *random.sample(legal[1:-1], MOVES - 2)]
    board = GAMES[state.rules.slug].presentation.board
    table = {
        "game": state.rules.slug,
        "seats": state.seats,
        "names": NAMES[: state.seats],
        "tokens": dict(GAMES[state.rules.slug].presentation.tokens),
    }
    about = {"question": question, "view": view, "you": view["you"], "table": table, "board": board, "composer": board}
    return {**about, "moves": moves}


@cache
def sampled() -> tuple[tuple[str, State, int], ...]:
    """Positions of random games: of every table some for each kind of decision."""
    numbers: dict[tuple[str, int, str], int] = {}
    kept: list[tuple[str, State, int]] = []
    for slug, seats in TABLES:
        for number in range(40):
            state, random = GAMES[slug].new(seats, seed_of(number)), Random(number)
            while state.pending:
                seat = random.choice(state.pending)
                kind = kind_of(state.decision(seat))
                so_many = numbers.get((slug, seats, kind), 0)
                if so_many < PER_KIND and (so_many == 0 or random.random() < 0.2):
                    numbers[slug, seats, kind] = so_many + 1
                    kept.append((kind, state.copy(), seat))
                move_once(state, random)
    return tuple(kept)


def one_of_each() -> Iterator[tuple[str, Document]]:
    """One position of every kind."""
    seen: set[str] = set()
    for kind, state, seat in sampled():
        if kind not in seen:
            seen.add(kind)
            yield kind, position(state, seat)


def ready(page: Page, width: int = 1280) -> None:
    """The harness on an empty page of the site."""
    page.set_viewport_size({"width": width, "height": 800 if width > 700 else 780})
    page.goto("/about/")
    page.evaluate(HARNESS, SHEETS)


def mount(page: Page, about: Document, **how: Any) -> None:
    page.evaluate("([about, how]) => composers.mount(about, how)", [about, how])


def steps(page: Page, about: Document, move: Move) -> list[str]:
    """Selectors of what is pressed for a move, the button that sends it last."""
    selectors: list[str] = page.evaluate("([about, move]) => composers.selectors(about, move)", [about, move])
    return selectors


def sent(page: Page) -> list[Move]:
    moves: list[Move] = page.evaluate("state.sent")
    return moves


def test_every_kind_of_decision_is_among_the_samples() -> None:
    kinds = {kind for kind, _, _ in sampled()}
    cards = {f"immediate:{card}" for card in ("half", "three", "swap", "rob", "halve_all", "adjust:RB", "adjust:YG")}
    asked = {"action", "guess", "open_barter", "answer_offer", "counter_gift", "event_card", "bid", "lay", "lay:must"}
    assert kinds == cards | asked | {"free_choice", "free_choice:alone"}


def test_every_legal_move_can_be_composed(watched: Page) -> None:
    ready(watched)
    for kind, state, seat in sampled():
        assert watched.evaluate("composers.everyMove", position(state, seat)) == [], kind


def test_nothing_illegal_can_be_sent(watched: Page) -> None:
    ready(watched)
    tried = 0
    for number, (kind, state, seat) in enumerate(sampled()):
        if number % 2:
            continue
        arguments = [position(state, seat), 150, number + 1]
        for move in watched.evaluate("([about, times, seed]) => composers.monkey(about, times, seed)", arguments):
            assert state.check(seat, move) == move, (kind, move)
            tried += 1
    assert tried > 1_000


def test_composers_judge_moves_like_the_engine(watched: Page) -> None:
    ready(watched)
    random = Random(16)
    others = [list(state.legal_moves(seat)) for _, state, seat in sampled()]
    for kind, state, seat in sampled():
        moves = [random.choice(random.choice(others)) for _ in range(40)]
        own = list(state.legal_moves(seat))
        moves += [bent(random.choice(own), random) for _ in range(40)] + own[:20]
        asked = [GAMES[state.rules.slug].presentation.board, state.decision(seat), moves]
        verdicts = watched.evaluate(
            "([name, question, moves]) => "
            "moves.map((move) => composers.modules[name].composer.isLegal(question, move))",
            asked,
        )
        for move, verdict in zip(moves, verdicts, strict=True):
            assert verdict is judged(state, seat, move), (kind, move, state.decision(seat))


def judged(state: State, seat: int, move: Move) -> bool:
    """Whether the engine allows it; the order inside ``take`` and ``cards`` does not matter to it."""
    try:
        state.check(seat, move)
    except IllegalMove:
        return False
    return True


def bent(move: Move, random: Random) -> Move:
    """A legal move with something changed."""
    if isinstance(move, str):
        return random.choice(["decline", "accept", "pass", "done", "apply", "money", "free_choice", "blind"])
    changed = json.loads(json.dumps(move))
    key = random.choice(list(changed))
    value = changed[key]
    if isinstance(value, list) and value and isinstance(value[0], int):
        value[random.randrange(len(value))] += random.choice([-1, 1, 2])
    elif isinstance(value, list):
        changed[key] = value[1:] if random.random() < 0.5 else [*value, random.choice(value or ["R"])]
    elif isinstance(value, dict):
        value[random.choice(list(value) or ["0"])] = random.choice("RYGBX")
    elif isinstance(value, int):
        changed[key] = value + random.choice([-1, 1])
    else:
        changed[key] = random.choice(["R", "Y", "G", "B", "P25", "empty", ""])
    return changed  # type: ignore[no-any-return]


def test_the_preview_of_a_bottle_shows_its_points(watched: Page) -> None:
    ready(watched)
    for kind, state, seat in sampled():
        if not kind.startswith("lay"):
            continue
        question = state.decision(seat)
        held = state.view(seat)["players"][seat]["cellars"]
        cells = [] if question["new_cellar"] else held[-1]
        moves = [move for move in state.legal_moves(seat) if move != "done"][:30]
        earnings = watched.evaluate(
            "([cells, moves]) => moves.map(({card, cell}) => "
            "(({points, trios}) => [points, trios])(composers.modules.cellars.composer.earning(cells, card, cell)))",
            [cells, moves],
        )
        for move, (points, trios) in zip(moves, earnings, strict=True):
            after = state.copy()
            start = len(after.entries(None))
            after.play(seat, move)
            laid = next(
                entry["event"]
                for entry in after.entries(None, start)
                if "event" in entry and entry["event"]["type"] == "laid"
            )
            assert [points, sorted(map(sorted, trios))] == [laid["points"], sorted(map(sorted, laid["trios"]))], move


def test_the_preview_of_a_card_shows_its_effect(watched: Page) -> None:
    ready(watched)
    for kind, state, seat in sampled():
        if kind not in ("immediate:half", "immediate:adjust:RB", "immediate:adjust:YG", "immediate:halve_all"):
            continue
        view, card = state.view(seat), kind.partition(":")[2]
        gems = [player["gems"] for player in view["players"]]
        for number, colour in enumerate("RYGB"):
            after = state.copy()
            start = len(after.entries(None))
            after.play(seat, {"colour": colour} if card == "half" else "apply")
            outcomes = watched.evaluate(
                """async ([card, gems, supply, seat, colour]) => {
                  const { halfScoring, adjusted, halved } = await import("/static/esr/composers/gems/outcomes.js");
                  if (card === "half") return halfScoring(gems, colour);
                  return card === "halve_all" ? halved(gems[seat]) : adjusted(gems[seat], supply, card);
                }""",
                [card, gems, view["supply"], seat, number],
            )
            events = [entry["event"] for entry in after.entries(None, start) if "event" in entry]
            if card == "half":
                row = next(event for event in events if event["type"] == "scored")["rows"][0]
                assert [outcomes["share"], outcomes["returned"]] == [row["share"], row["returned"]]
            else:
                assert outcomes == moved(gems[seat], seat, card, events)


def moved(gems: list[int], seat: int, card: str, events: list[Document]) -> list[int]:
    """A seat's gems after what a card moved."""
    left_over = list(gems)
    for event in events:
        if event["type"] == "gems_moved" and event["why"] == card.split(":")[0]:
            sign = 1 if event["to"] == seat else -1 if event["from"] == seat else 0
            left_over = [count + sign * more for count, more in zip(left_over, event["gems"], strict=True)]
    return left_over


def test_a_mouse_composes_every_kind(watched: Page) -> None:
    ready(watched)
    for kind, about in one_of_each():
        for move in (about["moves"][0], about["moves"][-1]):
            mount(watched, about)
            for selector in steps(watched, about, move):
                watched.click(f".compose {selector}")
            assert sent(watched) == [move], kind


def test_a_finger_composes_every_kind(browser: Browser, live_server: LiveServer) -> None:
    context = browser.new_context(base_url=live_server.url, has_touch=True, viewport={"width": 360, "height": 780})
    page = context.new_page()
    ready(page, 360)
    for kind, about in one_of_each():
        for move in (about["moves"][0], about["moves"][-1]):
            mount(page, about)
            for selector in steps(page, about, move):
                page.tap(f".compose {selector}")
            assert sent(page) == [move], kind
    context.close()


def test_tab_and_space_compose_every_kind(watched: Page) -> None:
    ready(watched)
    for kind, about in one_of_each():
        move = about["moves"][-1]
        mount(watched, about, bare=True)
        for selector in steps(watched, about, move):
            tabbed_to(watched, f".compose {selector}")
            watched.keyboard.press("Enter" if "data-send" in selector else "Space")
        assert sent(watched) == [move], kind


def tabbed_to(page: Page, selector: str) -> None:
    """Go on with Tab until it has the focus."""
    for _ in range(80):
        if page.evaluate("(one) => document.activeElement.matches(one)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def test_letters_compose_what_they_are_for(watched: Page) -> None:
    ready(watched)
    for kind, about in one_of_each():
        move = about["moves"][-1]
        keys = emails(about["question"], move)
        if keys is None:
            continue
        mount(watched, about)
        for key in keys:
            assert sent(watched) == [], "nothing is sent by one key"
            watched.keyboard.press(key)
        assert sent(watched) == [move], kind


def emails(question: Document, move: Move) -> list[str] | None:
    """The keys of ``look.md`` for a move; ``None`` where letters alone do not do."""
    words = {"money": "m", "event": "e", "gems": "g", "free_choice": "f", "face_up": "f", "blind": "b", "apply": "c"}
    words |= {"accept": "a", "decline": "d", "pass": "p", "done": "p"}
    if isinstance(move, str):
        return [words[move], "Enter"]
    if "offer" in move:
        return [key for key, count in zip("rygb", move["offer"], strict=True) for _ in range(count)] + ["o", "Enter"]
    if "seat" in move and len(question["take"]) > 1:
        return None
    order = [move.get("gift") or move.get("colour")] if "take" not in move else [move.get("give")]
    taken = move.get("take", [])
    order += list(taken.values()) if isinstance(taken, dict) else list(taken)
    return (
        [colour.lower() for colour in order if colour] + ["Enter"]
        if "card" not in move and "cards" not in move
        else None
    )


def test_enter_alone_sends_nothing(watched: Page) -> None:
    ready(watched)
    for kind, about in one_of_each():
        mount(watched, about)
        watched.keyboard.press("Enter")
        assert sent(watched) == [], kind


def test_letters_take_gems_back_and_clear(watched: Page) -> None:
    ready(watched)
    about = next(about for kind, about in one_of_each() if kind == "answer_offer")
    mount(watched, {**about, "question": {**about["question"], "holdings": [3, 3, 3, 3], "standing": [0, 0, 2, 0]}})
    for key in ("b", "b", "r", "Shift+R"):
        watched.keyboard.press(key)
    note = watched.locator(".compose-said")
    assert note.inner_text().startswith("Not high enough. Two gems each, but their offer has more green.")
    watched.keyboard.press("o")
    offer = watched.locator('[data-send="main"]')
    assert offer.evaluate("(button) => button === document.activeElement")
    assert offer.get_attribute("aria-disabled") == "true"
    described = watched.evaluate(
        """() => document.activeElement.getAttribute("aria-describedby").split(" ")
            .map((id) => document.getElementById(id).textContent).join("")"""
    )
    assert described == note.inner_text()
    watched.keyboard.press("Enter")
    assert sent(watched) == []
    watched.keyboard.press("Backspace")
    assert watched.evaluate("state.kept") == {"offer": [0, 0, 0, 0]}


def test_arrows_lay_a_bottle(watched: Page) -> None:
    ready(watched)
    done = 0
    for kind, state, seat in sampled():
        if not kind.startswith("lay") or done > 8:
            continue
        mount(watched, position(state, seat))
        watched.keyboard.press("ArrowRight")
        watched.keyboard.press("ArrowRight")
        watched.keyboard.press("Space")
        for key in ("ArrowRight", "ArrowUp", "ArrowLeft"):
            watched.keyboard.press(key)
        assert sent(watched) == []
        watched.keyboard.press("Enter")
        (move,) = sent(watched)
        assert state.check(seat, move) == move
        done += 1
    assert done > 4


def test_a_bottle_is_dragged_onto_a_niche(watched: Page) -> None:
    ready(watched)
    about = next(about for kind, about in one_of_each() if kind == "lay")
    move = about["moves"][-1]
    mount(watched, about)
    bottle, niche, send = steps(watched, about, move)
    watched.drag_and_drop(f".compose {bottle}", f".compose {niche}")
    assert sent(watched) == []
    watched.click(f".compose {send}")
    assert sent(watched) == [move]


def test_a_draft_is_restored_only_for_its_decision(watched: Page) -> None:
    ready(watched)
    for kind, about in one_of_each():
        *parts, send = steps_of(watched, about, about["moves"][-1])
        mount(watched, about, bare=True)
        for selector in parts:
            watched.evaluate("(one) => document.querySelector(one).click()", f".compose {selector}")
        kept = watched.evaluate("state.kept")
        mount(watched, about, bare=True, kept=kept)
        watched.evaluate("(one) => document.querySelector(one).click()", f".compose {send}")
        assert sent(watched) == [about["moves"][-1]], kind
        for wrong in FOREIGN:
            mount(watched, about, bare=True, kept=wrong)
            assert watched.locator(".compose-said").inner_text() != ""


def steps_of(page: Page, about: Document, move: Move) -> list[str]:
    """Selectors, which need the hand to be there."""
    mount(page, about, bare=True)
    return steps(page, about, move)


def test_a_refused_move_can_be_sent_again(watched: Page) -> None:
    ready(watched)
    about = next(about for kind, about in one_of_each() if kind == "action")
    mount(watched, about, refuse="You cannot do that.")
    watched.keyboard.press("m")
    watched.keyboard.press("Enter")
    watched.wait_for_function("document.querySelector('[id^=compose-refused]').textContent === 'You cannot do that.'")
    watched.evaluate("state.refuse = ''")
    watched.keyboard.press("Enter")
    watched.wait_for_function("state.sent.length === 2")


def test_piles_of_the_table_can_be_pointed_at(watched: Page) -> None:
    ready(watched)
    for kind, about in one_of_each():
        if kind not in ("open_barter", "immediate:swap"):
            continue
        mount(watched, about)
        for place in watched.locator(".sitting .pointable").all()[:8]:
            before = watched.evaluate("JSON.stringify(state.kept)")
            place.click()
            assert watched.evaluate("JSON.stringify(state.kept)") != before, kind


def test_bottles_are_laid_where_the_board_shows_the_own_cellar(watched: Page) -> None:
    ready(watched, 360)
    about = next(about for kind, about in one_of_each() if kind == "lay")
    mount(watched, about)
    bottle, niche, _ = steps(watched, about, about["moves"][-1])
    seat = about["question"]["seat"]
    other = next(index for index in range(len(about["table"]["names"])) if index != seat)
    own = f".seat[data-seat='{seat}']"
    expect(watched.locator(f"{own} {niche}")).to_be_visible()
    watched.locator(f".seat[data-seat='{other}'] > .open").click()
    expect(watched.locator(f"{own} {niche}")).to_be_hidden()
    watched.click(f".compose {bottle}")
    expect(watched.locator(f"{own} {niche}")).to_be_visible()
    watched.evaluate("composed.destroy()")
    expect(watched.locator(f"{own} [data-cell]")).to_have_count(0)
    expect(watched.locator(f"{own} .vault > .cellar")).to_be_visible()


def test_a_plain_decision_is_a_list_or_a_field(watched: Page) -> None:
    ready(watched)
    for kind, about in one_of_each():
        plain = {**about, "composer": "plain", "board": "plain"}
        if about["question"]["legal"] is not None:
            assert watched.evaluate("composers.everyMove", plain) == [], kind
            continue
        mount(watched, plain)
        watched.fill(".compose textarea", "{not JSON")
        watched.click('[data-send="main"]', force=True)  # it stays there to be asked why not
        assert sent(watched) == []
        watched.fill(".compose textarea", json.dumps(about["moves"][-1]))
        watched.click('[data-send="main"]')
        assert sent(watched) == [about["moves"][-1]]


def test_composers_can_be_seen_and_touched(looker: Looker) -> None:
    ready(looker.page)
    for kind, about in one_of_each():
        mount(looker.page, about)
        for selector in steps(looker.page, about, about["moves"][-1])[:-1]:
            looker.page.evaluate("(one) => document.querySelector(one).click()", f".compose {selector}")
        looker.look(kind.replace(":", "-"))
