"""The golden games come out as they were written down, step by step."""

from __future__ import annotations

import json

import pytest

from games import strict
from games.compact import unpack
from games.record import verify
from games.registry import GAMES
from tests.games.golden import ADVICE, FORFEITS, TABLES, give_up, path, play
from tests.judge.verdicts import check


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_a_golden_game_is_reproduced_exactly(slug: str, seats: int) -> None:
    written = [json.loads(line) for line in path(slug, seats).read_text(encoding="utf-8").splitlines()]
    made = play(slug, seats)
    for ply, (then, now) in enumerate(zip(written[1:-1], made[1:-1], strict=False)):
        assert strict.same(then, now), f"step {ply} was {then} and is {now}. {ADVICE}"
    assert strict.same(written, made), f"{written[0]} … {written[-1]} became {made[0]} … {made[-1]}. {ADVICE}"


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_a_golden_game_verifies(slug: str, seats: int) -> None:
    head, *steps, outcome = (json.loads(line) for line in path(slug, seats).read_text(encoding="utf-8").splitlines())
    verify({**head, "steps": steps, "outcome": outcome})
    kinds = {step["decision"] for step in steps if "decision" in step}
    assert len(kinds) >= min(6, len(GAMES[slug].schema("decision")["oneOf"]))
    assert any("default" in step for step in steps)


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_a_golden_game_with_forfeits_is_reproduced_exactly(slug: str, seats: int) -> None:
    written = json.loads(FORFEITS.read_text(encoding="utf-8"))[f"{slug}-{seats}"]
    assert strict.same(written, give_up(slug, seats)), ADVICE
    record = unpack(bytes.fromhex(written["packed"]))
    assert strict.same(verify(record).outcome, written["outcome"])
    assert check(record) == []
