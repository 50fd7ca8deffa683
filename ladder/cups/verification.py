"""Verify a cup on its site: its ledger with :mod:`bots.tournaments.verification`, and the stored games against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from bots.tournaments.keys import cup_seed
from bots.tournaments.ledger import Entry, Ledger, played_from, round_of
from bots.tournaments.verification import UNFINISHED, verify_cup
from games.chance import commitment
from games.rules import Document
from ladder.cups.ledger import SIGNED, entrant_list
from ladder.cups.progress import SUBSTITUTE
from ladder.cups.results import CupResults, blocks_of
from ladder.models import Block, Cup, CupLedgerEntry, CupTable, Seat

Kind = CupLedgerEntry.Kind


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
    try:
        yield from _stored(cup, ledger)
    except (LookupError, TypeError, ValueError) as error:
        yield f"The stored rows and the ledger cannot be compared: {type(error).__name__}: {error}"


# --- The stored games ------------------------------------------------------------------------------------------------


def _stored(cup: Cup, ledger: Ledger) -> Iterator[str]:
    """Compare the ledger with the entrants, rounds, deals, games and versions in the database."""
    frozen = ledger.entrants
    if frozen is None:
        return
    yield from _stored_rows(CupResults(cup), frozen, [(entry.kind, entry.document) for entry in ledger.entries])
    blocks = Block.objects.filter(cup_table__round__cup=cup).order_by(
        "cup_table__round__number", "cup_table__index", "number"
    )
    columns = ("cup_table__round__number", "cup_table__index", "number", "seed", "commitment")
    for round_, index, number, seed, hash_ in blocks.values_list(*columns):
        derived = cup_seed(bytes(cup.key), cup.entrants_hash, round_, index + 1, number or 0)
        if bytes(seed) != derived or hash_ != commitment(derived):
            where = f"Round {round_}, table {index + 1}"
            yield f"{where}: the deal of block {number} does not follow from the key and the entrant list."
    for entry in ledger.entries:
        if entry.kind == Kind.RESULTS:
            yield from _stored_games(cup, entry.document, frozen["entrants"])


def _stored_rows(results: CupResults, frozen: Document, entries: Sequence[tuple[str, Document]]) -> Iterator[str]:
    """Compare the rows by which the site pairs and ranks with the ledger, whose kinds and documents are ``entries``."""
    stored_list = entrant_list(results.cup, results.entrants.values())
    if stored_list != {name: value for name, value in frozen.items() if name not in SIGNED}:
        yield "The stored entrants or settings are not those of the entrant list."
    begun = [round_of(document) for kind, document in entries if kind == Kind.ROUND]
    if [round_.round for round_ in results.rounds] != begun:
        yield "The stored tables and byes are not those of the ledger."
    for number, (stored, proven) in enumerate(zip_longest(results.played, played_from(entries)), 1):
        if stored != proven:
            yield f"Round {number}: the stored points are not those of the ledger."
    ruled = {(document["round"], document["table"]) for kind, document in entries if kind == Kind.RULING}
    if ruled != {(round_.number, table.index) for round_ in results.rounds for table in round_.tables if table.ruled}:
        yield "The stored tables with a ruling are not those of the ledger."
    left = {document["entrant"]: document["state"] for kind, document in entries if kind == Kind.LEFT}
    left.pop(None, None)  # before the entrant list was frozen
    if results.left != left:
        yield "The stored entrants who have left are not those of the ledger."
    is_finished, standings = results.cup.state == Cup.State.FINISHED, results.standings
    if is_finished and any(results.entrants[row.entrant].rank != row.rank for row in standings):
        yield "The stored ranks do not follow from the results."


def _stored_games(cup: Cup, document: Document, entrants: Sequence[Document]) -> Iterator[str]:
    """Compare the games of one round: every game is in the ledger, with its result and its versions."""
    number = document["round"]
    tables = list(CupTable.objects.filter(round__cup=cup, round__number=number).order_by("index"))
    stored, versions = blocks_of(tables), _versions(tables)
    for table, blocks in zip(tables, document["blocks"], strict=False):
        where = f"Round {number}, table {table.index + 1}"
        if blocks != stored[table.pk]:
            yield f"{where}: the games of the ledger are not the stored ones."
        entered = {entrants[entrant]["bot"]: entrants[entrant]["version"] for entrant in table.entrants}
        for bot, version, house in versions[table.pk]:
            if entered.get(bot) == version or house == SUBSTITUTE or (house and bot not in entered):
                continue  # an entrant, or a house bot that substitutes
            yield f"{where}: a game was played by a version that is not in the entrant list."


def _versions(tables: Sequence[CupTable]) -> dict[int, set[tuple[int, int, str]]]:
    """By table, what played there: bot, version number, and name of the house bot (else empty)."""
    versions: dict[int, set[tuple[int, int, str]]] = {table.pk: set() for table in tables}
    seats = Seat.objects.filter(match__block__cup_table__in=tables)
    columns = ("version__bot", "version__number", "version__bot__house_name")
    for table, bot, version, house in seats.values_list("match__block__cup_table", *columns):
        versions[table].add((bot, version, house))
    return versions
