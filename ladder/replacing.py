"""A block of which a result was taken back counts no more; another one with the same bots replaces it."""

from __future__ import annotations

from django.db import transaction

from ladder.blocks import schedule_block
from ladder.dispatching import dispatch
from ladder.ledger import NoSeason
from ladder.models import Block, Intervention, Ladder, Match, Seat
from ladder.rules import rules_of
from ladder.standing_by import standing_by


def replace(ladder: Ladder, match: Match) -> str:
    """Schedule a block with the bots of ``match`` and what plays for them now; in a sentence, whether one was.

    The caller's transaction holds the row of ``ladder``. A block is replaced once, however many results of it are taken
    back.
    """
    if ladder.live:
        return "No game replaces it: a live game has a deal of its own, and the next one is another."
    if _replaced(match):
        return "A new block replaces its own already."
    first = Match.objects.filter(block=match.block_id).order_by("lineup", "seating")[0]
    entries = [one.entry for one in Seat.objects.filter(match=first).select_related("entry__bot").order_by("index")]
    ready, rules = standing_by(ladder), rules_of(ladder)
    missing = [
        entry.bot.name
        for entry in entries
        if entry and (entry.pk not in ready.players or rules.counts_for(entry.pk) != entry.pk)
    ]
    if missing or not ladder.open:
        return f"No block replaces its own: {', '.join(missing) or ladder.name} does not play now."
    players = [ready.players[entry.pk] for entry in entries if entry]
    try:
        with transaction.atomic():
            block = schedule_block(ladder, players, sent=False)
    except NoSeason:
        return "No block replaces its own: the season is closing."
    ready.remember([(block, [entry.pk for entry in entries if entry])])
    transaction.on_commit(dispatch)
    return f"{_name(block)} replaces its own."


def _replaced(match: Match) -> bool:
    taken_back = Intervention.objects.filter(match__block=match.block_id, action=Intervention.Action.TAKEN_BACK)
    return taken_back.exclude(match=match).exists()


def _name(block: Block) -> str:
    return f"A new block, number {block.number} of the season,"
