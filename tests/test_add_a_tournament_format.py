"""The guide ``docs/guides/add-a-tournament-format.md``: its format is built from the code on the page."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from bots.tournaments import formats
from bots.tournaments.formats import FORMATS
from ladder.creation import open_house
from tests.bots.tournaments.formats.test_formats import plan, play
from tests.ladder.cups.cups import entered, house_bots, new_cup, played_out

PAGE = Path(__file__).parents[1] / "docs" / "guides" / "add-a-tournament-format.md"
FILES = dict(re.findall(r"^`([\w/.]+)`:\n\n```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL))
SLUG = "king-of-the-hill"


def module_of(name: str) -> ModuleType:
    module = ModuleType("page")
    exec(compile(FILES[name], name, "exec"), module.__dict__)
    return module


@pytest.fixture(autouse=True)
def king_of_the_hill(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = module_of("bots/tournaments/formats/king_of_the_hill.py").KingOfTheHill()
    monkeypatch.setitem(FORMATS, rules.slug, rules)  # type: ignore[arg-type]
    assert formats.FORMATS[SLUG] is rules


def test_its_test_passes() -> None:
    module_of("tests/bots/tournaments/formats/test_king_of_the_hill.py").test_the_winner_stays()


@pytest.mark.parametrize("entrants", [2, 3, 9])
def test_it_ends_and_ranks_every_entrant_once(entrants: int) -> None:
    planned = plan(SLUG, 2, entrants)
    for seed in range(5):
        rows = planned.standings(play(planned, Random(seed)))
        assert sorted(row.entrant for row in rows) == list(range(entrants))


@pytest.mark.django_db
def test_a_site_plays_it() -> None:
    open_house()
    bots = house_bots("edel-stein-reich-duel", 2)
    cup = played_out(entered(new_cup(SLUG, game="edel-stein-reich-duel", seats=2), bots))
    assert cup.state == cup.State.FINISHED
    assert sorted(cup.entries.values_list("rank", flat=True)) == list(range(1, len(bots) + 1))
