"""The sentences of a scoring: each row says who is paid and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.edel_stein_reich.cards import CERTIFICATE_VALUES, COLOURS, HALF_VALUES, MAJORITY_VALUES
from games.edel_stein_reich.story.telling import Story
from games.edel_stein_reich.story.words import COLOUR_NAMES, event_card

Row = Mapping[str, Any]


def tell_half(story: Story, row: Row) -> None:
    """The half scoring of one colour; cards held do not count and are kept."""
    story.say(colour_row(story, row, HALF_VALUES, with_cards=False))
    story.table.pay_row(row)


def tell_phase(story: Story, rows: Sequence[Row]) -> None:
    """The four colours, the certificates, and what everybody has now; the cards held go back."""
    table = story.table
    before = list(table.money)
    for row in rows:
        text = certificate_row(story, row) if row["of"] == "cert" else colour_row(story, row, MAJORITY_VALUES)
        story.say(text)
        table.pay_row(row)
    table.cards = [[] for _ in range(table.seats)]
    seats = range(table.seats)
    paid = [f"{story.names[seat]} {table.money[seat] - before[seat]}" for seat in seats]
    now = [f"{story.names[seat]} {table.money[seat]}" for seat in seats]
    story.say(f"Paid in all: {', '.join(paid)}")
    story.say(f"Money now: {', '.join(now)}")


def colour_row(story: Story, row: Row, values: Sequence[int], with_cards: bool = True) -> str:
    """``Blue, 8. magpie and abacus tie with 4: 4 each, both return 2``."""
    colour = COLOURS.index(row["of"])
    counts = [held[colour] for held in story.table.gems]
    most = max(counts)
    leaders = [seat for seat, count in enumerate(counts) if count == most]
    head = f"{COLOUR_NAMES[row['of']].capitalize()}, {values[colour]}."
    if not most:
        return f"{head} Nobody has any: nothing is paid"
    told = _alone(story, row, leaders[0], most) if len(leaders) == 1 else _tie(story, row, leaders, most)
    cards = [*_per_gem(story, row), *_idle_cards(story, row, leaders)] if with_cards else []
    return " ".join([head, *[f"{part}." for part in (told, *cards)]]).removesuffix(".")


def _alone(story: Story, row: Row, seat: int, most: int) -> str:
    bonus = ""
    if row["sole_bonus"][seat]:
        named = [event_card(card) for card in story.table.cards[seat] if card in ("sole_any", f"sole:{row['of']}")]
        bonus = f", and {row['sole_bonus'][seat]} more for {' and '.join(named)}"
    return (
        f"{story.names[seat]} has most, alone with {most}: {row['share'][seat]}{bonus}; returns {row['returned'][seat]}"
    )


def _tie(story: Story, row: Row, leaders: Sequence[int], most: int) -> str:
    everybody = "both" if len(leaders) == 2 else "all"
    share, returned = row["share"][leaders[0]], row["returned"][leaders[0]]
    return f"{story.named(leaders)} tie with {most}: {share} each, {everybody} return {returned}"


def _per_gem(story: Story, row: Row) -> list[str]:
    card = event_card(f"per:{row['of']}")
    return [f"{story.names[seat]} gets {paid} for {card}" for seat, paid in enumerate(row["per_gem"]) if paid]


def _idle_cards(story: Story, row: Row, leaders: Sequence[int]) -> list[str]:
    """The cards for this colour alone that pay nothing now."""
    card = f"sole:{row['of']}"
    holders = [seat for seat, cards in enumerate(story.table.cards) if card in cards and leaders != [seat]]
    return [
        f"{event_card(card)} pays {story.names[seat]} nothing{' in a tie' if seat in leaders else ''}"
        for seat in holders
    ]


def certificate_row(story: Story, row: Row) -> str:
    """``Certificates. kontor holds the only one: 10``."""
    first, second = CERTIFICATE_VALUES
    counts = [cards.count("cert") for cards in story.table.cards]
    leaders = [seat for seat, paid in enumerate(row["share"]) if paid == first]
    next_most = [seat for seat, paid in enumerate(row["share"]) if paid == second]
    if not leaders:
        return "Certificates. Nobody holds one: nothing is paid"
    most = counts[leaders[0]]
    if len(leaders) > 1:
        return f"Certificates. {story.named(leaders)} tie with {most}: {first} each"
    if sum(counts) == 1:
        return f"Certificates. {story.named(leaders)} holds the only one: {first}"
    told = f"Certificates. {story.named(leaders)} has most, {most}: {first}"
    if next_most:
        each = " each" if len(next_most) > 1 else ""
        told += f"; {story.named(next_most)} with {counts[next_most[0]]}: {second}{each}"
    return told
