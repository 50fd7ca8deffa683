"""What holds at every moment of every game: nothing is lost, nothing comes from nowhere, nothing is negative."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from games.edel_stein_reich.cards import EVENT_CARDS, GEM_CARDS, GEMS_PER_COLOUR
from games.edel_stein_reich.state import EdelSteinReichState


def faults(state: EdelSteinReichState) -> list[str]:
    """What does not hold now; empty when the table is sound."""
    return [*_gem_faults(state), *_event_card_faults(state), *_gem_card_faults(state)]


def _gem_faults(state: EdelSteinReichState) -> Iterator[str]:
    view = state.view(None)
    piles = [view["supply"], *(player["gems"] for player in view["players"])]
    for colour, counts in zip("RYGB", zip(*piles, strict=True), strict=True):
        if sum(counts) != GEMS_PER_COLOUR or min(counts) < 0:
            yield f"{colour}: supply and holdings are {counts}"
    if min(player["money"] for player in view["players"]) < 0:
        yield "somebody owes money"


def _event_card_faults(state: EdelSteinReichState) -> Iterator[str]:
    """The view shows all event cards except the face-down ones."""
    view = state.view(None)
    seen = [view["event"]["display"], (view["immediate"] or {}).get("card"), *view["event"]["discards"]]
    seen += [card for player in view["players"] for card in player["cards"]]
    there = Counter([*(card for card in seen if card), *state.event_pile])
    if there != Counter(EVENT_CARDS):
        yield f"event cards lost or doubled: {Counter(EVENT_CARDS) - there}, {there - Counter(EVENT_CARDS)}"
    if view["event"]["stack"] != len(state.event_pile):
        yield "the view counts the event stack wrong"


def _gem_card_faults(state: EdelSteinReichState) -> Iterator[str]:
    view = state.view(None)
    seen = Counter([*view["gem_discards"], *(p["gem_card"] for p in view["players"] if p["gem_card"])])
    if not seen <= Counter(GEM_CARDS):
        yield f"gem cards doubled: {seen - Counter(GEM_CARDS)}"
    if view["aside"]:
        unseen = view["aside"]["count"]
    else:
        unseen = (view["phases"] - view["phase"]) * view["rounds"]
    if seen.total() + view["gem_stack"] + unseen != len(GEM_CARDS):
        yield f"{seen.total()} gem cards seen and {view['gem_stack']} face down, but {unseen} out of this phase"
