from __future__ import annotations

import pytest
from django.core.cache import cache

from ladder.lobby.rematching import rematch
from ladder.lobby.seeking import seek, take_seat
from ladder.opening import open_house
from ladder.seating.presence import here_among
from tests.ladder.lobby.people import PEOPLE, ended, on, people

pytestmark = pytest.mark.django_db


def test_who_plays_is_here_and_still_looks_at_the_table_a_while_after_the_game() -> None:
    open_house()
    ada, bob = people("ada", "bob")
    match = take_seat(seek(ada, on(PEOPLE)), bob).match
    assert match is not None
    cache.clear()  # nobody is in the lobby
    assert here_among([ada.pk, bob.pk]) == {ada.pk, bob.pk}
    over = ended(match)
    assert here_among([ada.pk, bob.pk]) == {ada.pk, bob.pk}
    assert rematch(over, ada).state == "open"
    ended(match, 4)
    assert here_among([ada.pk, bob.pk]) == set()
