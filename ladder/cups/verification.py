"""Recompute a finished cup from its ledger, its key and the results of its games."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from games.chance import commitment
from games.rules import Document
from ladder.cups import proof
from ladder.cups.formats import Plan
from ladder.cups.progress import plan_from, played_from, settled
from ladder.models import Block, Cup, CupLedgerEntry, CupTable
from ladder.pairings.rounds import PairingError, Round

Kind = CupLedgerEntry.Kind


def faults(cup: Cup) -> Iterator[str]:
    """Yield every mismatch of a finished cup: ledger, key, entrants, pairings, deals, results and standings."""
    entries = [(one.number, one.kind, one.document, one.hash) for one in CupLedgerEntry.objects.filter(cup=cup)]
    yield from _chain(cup, entries)
    documents = [(kind, document) for _number, kind, document, _hash in entries]
    frozen = next((one for kind, one in documents if kind == Kind.ENTRANTS), None)
    if frozen is None or documents[-1][0] != Kind.END:
        yield "The ledger must contain the entrant list and end with the standings."
        return
    key = bytes.fromhex(documents[-1][1]["key"])
    if sha256(key).hexdigest() != frozen["key_hash"] or frozen["key_hash"] != cup.key_hash:
        yield "The published key does not match the key hash from before the start."
    plan = plan_from(frozen, key)
    if plan.entrants_hash != cup.entrants_hash:
        yield "The entrant list does not match its hash."
    yield from _rounds(plan, documents)
    yield from _deals(cup, plan, documents)
    yield from _results(cup, documents)
    rows = [[row.rank, row.entrant, row.match_points] for row in plan.standings(played_from(documents))]
    if rows != documents[-1][1]["standings"]:
        yield "The final standings do not follow from the results."


def _chain(cup: Cup, entries: list[tuple[int, str, Document, str]]) -> Iterator[str]:
    previous = proof.START
    for expected, (number, kind, document, hash_) in enumerate(entries, 1):
        if number != expected or hash_ != proof.chained(previous, cup.pk, number, kind, document):
            yield f"Entry {expected} of the ledger does not match its hash."
        previous = hash_


def _rounds(plan: Plan, documents: list[tuple[str, Document]]) -> Iterator[str]:
    """Pair every round again from the documents before it."""
    for position, (kind, document) in enumerate(documents):
        if kind not in (Kind.ROUND, Kind.END):
            continue
        before = documents[:position]
        gone = [one["entrant"] for name, one in before if name == Kind.LEFT and one["entrant"] is not None]
        try:
            if kind == Kind.END:
                if plan.next_round(played_from(before), gone) is not None:
                    yield "The cup ended before its last round."
                continue
            round_ = Round(tuple(map(tuple, document["tables"])), tuple(document["byes"]))
            if not plan.follows(round_, played_from(before), gone):
                yield f"Round {document['round']} is not the pairing that follows from the results."
        except PairingError as error:
            yield str(error)


def _deals(cup: Cup, plan: Plan, documents: list[tuple[str, Document]]) -> Iterator[str]:
    announced = {number: hash_ for kind, one in documents if kind == Kind.ROUND for number, hash_ in one["deals"]}
    for deal in cup.deals.select_related("round"):
        seed = proof.derived(plan.key, plan.entrants_hash, "deal", deal.number)
        if bytes(deal.seed) != seed or deal.commitment != commitment(seed):
            yield f"Deal {deal.number} does not follow from the key and the entrant list."
        if announced.get(deal.number, deal.commitment) != deal.commitment:
            yield f"Deal {deal.number} is not the one that was announced."
        if Block.objects.filter(cup_deal=deal).exclude(seed=deal.seed, cup_table__round=deal.round).exists():
            yield f"Deal {deal.number} was used for another round or with another seed."


def _results(cup: Cup, documents: list[tuple[str, Document]]) -> Iterator[str]:
    """Add up the points of every table again, except where an organizer has ruled."""
    ruled = {(one["round"], one["table"]) for kind, one in documents if kind == Kind.RULING}
    stored = {one["round"]: one for kind, one in documents if kind == Kind.RESULTS}
    for table in CupTable.objects.filter(round__cup=cup).select_related("round"):
        where, document = (table.round.number, table.index), stored.get(table.round.number)
        if document is None or where in ruled:
            continue
        points = settled(table, document["gone"][table.index], cup.blocks)
        if document["points"][table.index] != (points and list(points)):
            yield f"The points of round {where[0]}, table {where[1] + 1} do not follow from its games."
