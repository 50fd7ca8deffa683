"""Offers by their place: counted and found as if they had been listed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.edel_stein_reich.cards import Gems
from games.edel_stein_reich.offers import NOTHING, Key, above, count_above, key, nth_above

gems = st.tuples(*[st.integers(0, 6)] * 4)
standings = st.one_of(st.just(NOTHING), gems.map(key))


@settings(max_examples=300, deadline=None)
@given(gems, standings)
def test_offers_are_counted_and_found_without_listing_them(holdings: Gems, standing: Key) -> None:
    listed = list(above(holdings, standing))
    assert count_above(holdings, standing) == len(listed)
    assert [nth_above(holdings, standing, place) for place in range(len(listed))] == listed


@given(gems, standings, st.sampled_from([-1, 0, 1]))
def test_there_is_no_offer_beyond_the_last(holdings: Gems, standing: Key, further: int) -> None:
    place = -1 if further < 0 else count_above(holdings, standing) + further
    with pytest.raises(IndexError):
        nth_above(holdings, standing, place)
