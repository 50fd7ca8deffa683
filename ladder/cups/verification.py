"""Verify a cup on its site: its ledger with :mod:`bots.tournaments.verification`, and the stored games against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bots.tournaments.keys import cup_seed
from bots.tournaments.ledger import Entry, Ledger
from bots.tournaments.verification import UNFINISHED, verify_cup
from games.chance import commitment
from games.rules import Document
from ladder.cups.progress import SUBSTITUTE, blocks_of
from ladder.models import Block, Cup, CupLedgerEntry, CupRound, CupTable, Seat


def faults(cup: Cup) -> Iterator[str]:
    """Yield every fault of a cup that has ended, as sentences: of its ledger alone, then of the stored games.

    A cup that was canceled is verified up to the last round that ended.
    """
    rows = CupLedgerEntry.objects.filter(cup=cup).order_by("number").values_list(*Entry.__match_args__)
    ledger = Ledger(
        cup.pk, cup.key_hash, cup.entrants_hash, bytes(cup.key), tuple(Entry(*row) for row in rows.iterator())
    )
    report = verify_cup(ledger)
    yield from report.faults
    if report.state == UNFINISHED:
        yield "The cup has ended, but its ledger contains neither final standings nor a cancellation."
    yield from _stored(cup, ledger)


# --- The stored games ------------------------------------------------------------------------------------------------


def _stored(cup: Cup, ledger: Ledger) -> Iterator[str]:
    """Compare the ledger with the rounds, deals, games and versions in the database."""
    documents, frozen = [(one.kind, one.document) for one in ledger.entries], ledger.entrants
    if frozen is None:
        return
    blocks = Block.objects.filter(cup_table__round__cup=cup).order_by(
        "cup_table__round__number", "cup_table__index", "number"
    )
    columns = ("cup_table__round__number", "cup_table__index", "number", "seed", "commitment")
    for round_, index, number, seed, hash_ in blocks.values_list(*columns):
        derived = cup_seed(bytes(cup.key), cup.entrants_hash, round_, index + 1, number or 0)
        if bytes(seed) != derived or hash_ != commitment(derived):
            where = f"Round {round_}, table {index + 1}"
            yield f"{where}: the deal of block {number} does not follow from the key and the entrant list."
    rounds = {one["round"]: one for kind, one in documents if kind == CupLedgerEntry.Kind.ROUND}
    for number, tables in _tables_of(cup):
        if [table.entrants for table in tables] != rounds.get(number, {}).get("tables"):
            yield f"Round {number}: the stored tables are not those of the ledger."
    for kind, document in documents:
        if kind == CupLedgerEntry.Kind.RESULTS:
            yield from _stored_games(cup, document, frozen["entrants"])


def _tables_of(cup: Cup) -> Iterator[tuple[int, list[CupTable]]]:
    for round_ in CupRound.objects.filter(cup=cup).prefetch_related("tables"):
        yield round_.number, sorted(round_.tables.all(), key=lambda table: table.index)


def _stored_games(cup: Cup, document: Document, entrants: Sequence[Document]) -> Iterator[str]:
    """Compare the games of one round: every game is in the ledger, with its result and its versions."""
    number = document["round"]
    tables = list(CupTable.objects.filter(round__cup=cup, round__number=number).order_by("index"))
    stored, versions = blocks_of(tables), _versions(tables)
    for table, blocks in zip(tables, document["blocks"], strict=False):
        where = f"Round {number}, table {table.index + 1}"
        if blocks != stored[table.pk]:
            yield f"{where}: the games of the ledger are not the stored ones."
        entered = {entrants[one]["bot"]: entrants[one]["version"] for one in table.entrants}
        for bot, version, house in versions[table.pk]:
            if entered.get(bot) == version or house == SUBSTITUTE or (house and bot not in entered):
                continue  # an entrant, or a house bot that substitutes
            yield f"{where}: a game was played by a version that is not in the entrant list."


def _versions(tables: Sequence[CupTable]) -> dict[int, set[tuple[int, int, str]]]:
    """By table, what played there: bot, version number, and name of the house bot (else empty)."""
    found: dict[int, set[tuple[int, int, str]]] = {table.pk: set() for table in tables}
    seats = Seat.objects.filter(match__block__cup_table__in=tables)
    columns = ("version__bot", "version__number", "version__bot__house_name")
    for table, bot, version, house in seats.values_list("match__block__cup_table", *columns):
        found[table].add((bot, version, house))
    return found
