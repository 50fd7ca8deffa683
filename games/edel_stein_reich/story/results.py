"""Sentences for scorings and for the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from games.edel_stein_reich.cards import CERTIFICATE_VALUES, COLOURS, HALF_VALUES, MAJORITY_VALUES
from games.edel_stein_reich.story.teller import Story
from games.edel_stein_reich.story.words import COLOUR_NAMES, event_card
from games.outcomes import has_score
from games.story import finishers
from games.words import ordinal

# --- Scorings --------------------------------------------------------------------------------------------------------

ScoringRow = Mapping[str, Any]


def tell_half(story: Story, row: ScoringRow) -> None:
    """Add the half scoring of one color. Scoring cards do not count and are kept."""
    story.say(colour_row(story, row, HALF_VALUES, with_cards=False))
    story.table.pay_row(row)


def tell_phase(story: Story, rows: Sequence[ScoringRow]) -> None:
    """Add the scoring of a phase: four colors, certificates and money. Scoring cards are returned."""
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
    story.say(f"Paid in total: {', '.join(paid)}")
    story.say(f"Money now: {', '.join(now)}")


def colour_row(story: Story, row: ScoringRow, values: Sequence[int], with_cards: bool = True) -> str:
    """Return ``Blue (8 million): magpie and abacus tie for the most (4), get 4 each and return 2 each``."""
    colour = COLOURS.index(row["of"])
    counts = [held[colour] for held in story.table.gems]
    most = max(counts)
    leaders = [seat for seat, count in enumerate(counts) if count == most]
    head = f"{COLOUR_NAMES[row['of']].capitalize()} ({values[colour]} million):"
    if not most:
        return f"{head} no player has any, so nothing is paid"
    sentence = _alone(story, row, leaders[0], most) if len(leaders) == 1 else _tie(story, row, leaders, most)
    cards = [*_per_gem(story, row), *_idle_cards(story, row, leaders)] if with_cards else []
    return " ".join([head, *[f"{part}." for part in (sentence, *cards)]]).removesuffix(".")


def _alone(story: Story, row: ScoringRow, seat: int, most: int) -> str:
    bonus = ""
    if row["sole_bonus"][seat]:
        named = [event_card(card) for card in story.table.cards[seat] if card in ("sole_any", f"sole:{row['of']}")]
        bonus = f" plus {row['sole_bonus'][seat]} for {' and '.join(named)}"
    share, returned = row["share"][seat], row["returned"][seat]
    return f"{story.names[seat]} has the most ({most}), gets {share}{bonus} and returns {returned}"


def _tie(story: Story, row: ScoringRow, leaders: Sequence[int], most: int) -> str:
    share, returned = row["share"][leaders[0]], row["returned"][leaders[0]]
    return f"{story.named(leaders)} tie for the most ({most}), get {share} each and return {returned} each"


def _per_gem(story: Story, row: ScoringRow) -> list[str]:
    card = event_card(f"per:{row['of']}")
    return [f"{story.names[seat]} gets {paid} for {card}" for seat, paid in enumerate(row["per_gem"]) if paid]


def _idle_cards(story: Story, row: ScoringRow, leaders: Sequence[int]) -> list[str]:
    """Return sentences for the cards for a sole majority in this color that pay nothing."""
    card = f"sole:{row['of']}"
    holders = [seat for seat, cards in enumerate(story.table.cards) if card in cards and leaders != [seat]]
    return [
        f"{event_card(card)} pays {story.names[seat]} nothing{' because of the tie' if seat in leaders else ''}"
        for seat in holders
    ]


def certificate_row(story: Story, row: ScoringRow) -> str:
    """Return a row such as ``Certificates: kontor has the only one and gets 10``."""
    first, second = CERTIFICATE_VALUES
    counts = [cards.count("cert") for cards in story.table.cards]
    leaders = [seat for seat, paid in enumerate(row["share"]) if paid == first]
    next_most = [seat for seat, paid in enumerate(row["share"]) if paid == second]
    if not leaders:
        return "Certificates: no player has one, so nothing is paid"
    most = counts[leaders[0]]
    if len(leaders) > 1:
        return f"Certificates: {story.named(leaders)} tie for the most ({most}) and get {first} each"
    if sum(counts) == 1:
        return f"Certificates: {story.named(leaders)} has the only one and gets {first}"
    sentence = f"Certificates: {story.named(leaders)} has the most ({most}) and gets {first}"
    if len(next_most) == 1:
        sentence += f"; {story.named(next_most)} has {counts[next_most[0]]} and gets {second}"
    elif next_most:
        sentence += f"; {story.named(next_most)} have {counts[next_most[0]]} each and get {second} each"
    return sentence


# --- The result ------------------------------------------------------------------------------------------------------

Score = Mapping[str, Any]


def tell_outcome(story: Story, outcome: Mapping[str, Any], ply: int) -> None:
    """Add a separate chapter with ranks, ties and forfeits."""
    story.begin("Result", ply)
    ranks, scores = outcome["ranks"], outcome["scores"]
    placed = finishers(outcome)
    if not any(map(has_score, scores)):
        story.tell_who_stayed(outcome)
        story.tell_forfeits(outcome)
        return
    if not placed:
        story.tell_unfinished("No player finished the game", outcome)
    else:
        _tell_winners(story, [seat for seat in placed if ranks[seat] == 1], scores)
        _tell_others(story, [seat for seat in placed if ranks[seat] > 1], ranks, scores)
    _tell_ties(story, placed, ranks, scores)
    story.tell_forfeits(outcome)


def _tell_winners(story: Story, winners: Sequence[int], scores: Sequence[Score]) -> None:
    money = f"{scores[winners[0]]['money']} million"
    won = f"wins with {money}" if len(winners) == 1 else f"tied for first place with {money} each"
    story.say(f"{story.named(winners)} {won}")


def _tell_others(story: Story, others: Sequence[int], ranks: Sequence[int], scores: Sequence[Score]) -> None:
    parts = [f"{story.names[seat]} is {ordinal(ranks[seat])} with {scores[seat]['money']}" for seat in others]
    if parts:
        story.say(", ".join(parts))


def _tell_ties(story: Story, placed: Sequence[int], ranks: Sequence[int], scores: Sequence[Score]) -> None:
    """Add what broke the ties between neighbors with equal money."""
    for better, worse in pairwise(placed):
        if scores[better]["money"] == scores[worse]["money"] and ranks[better] != ranks[worse]:
            why = _more(scores[better]["gems"], scores[worse]["gems"])
            story.say(f"{story.names[better]} ranks above {story.names[worse]} with the same money but more {why}")


def _more(ours: Sequence[int], theirs: Sequence[int]) -> str:
    if sum(ours) != sum(theirs):
        return "gems"
    colors = zip(COLOUR_NAMES.values(), ours, theirs, strict=True)
    return next(f"{name} gems" for name, own, other in colors if own != other)
