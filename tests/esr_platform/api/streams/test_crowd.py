"""Counting who waits, by adding up and taking away."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from esr_platform.api.streams.viewers import ConnectionCounter

COMING = st.lists(
    st.tuples(st.sampled_from(["user-1", "bot-2", "address-192.0.2.1", "address-192.0.2.2"]), st.booleans())
)


@given(COMING)
def test_the_sums_are_of_those_who_are_there_however_they_come_and_go(coming: list[tuple[str, bool]]) -> None:
    crowd, few = ConnectionCounter(), ConnectionCounter(1, 2)
    names: list[str] = []
    for who, comes in coming:
        if comes:
            names.append(who)
            crowd.add(who)
            few.add(who)
        elif names:
            leaves = names.pop(0)
            crowd.remove(leaves)
            few.remove(leaves)
        strangers = [name for name in names if name.startswith("address-")]
        assert (crowd.total, crowd.strangers, crowd.count(who)) == (len(names), len(strangers), names.count(who))
        assert few.strangers == sum(min(2, strangers.count(name)) for name in set(strangers))
        assert few.total == few.strangers + len(set(names) - set(strangers))
