"""Recompute a cup from its ledger and its key, and compare the ledger with the stored games.

``docs/reference/cup-ledger.md`` specifies what a ledger contains. The page of a cup verifies the same in the browser.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from games.chance import commitment
from games.rules import Document
from ladder.cups import proof
from ladder.cups.desk import Ruling, ruled
from ladder.cups.formats import Plan
from ladder.cups.progress import SUBSTITUTE, blocks_of, is_over, plan_from, round_of, settled
from ladder.models import Block, Cup, CupLedgerEntry, CupRound, CupTable, Match, Seat
from tournaments.elimination import eliminated
from tournaments.round_robin import is_balanced
from tournaments.rounds import PairingError, PlayedRound, Points, Round

Kind = CupLedgerEntry.Kind


@dataclass(frozen=True)
class Entry:
    """An entry of a ledger. The reason and its salt are ``None`` without a reason, and if a moderator removed it."""

    number: int
    kind: str
    document: Document
    hash: str
    reason: str | None
    salt: str | None


def faults(cup: Cup) -> Iterator[str]:
    """Yield every fault of a cup that has ended, as sentences: of its ledger alone, then of the stored games.

    A cup that was canceled is verified up to the last round that ended.
    """
    rows = CupLedgerEntry.objects.filter(cup=cup).order_by("number")
    entries = [Entry(*row) for row in rows.values_list("number", "kind", "document", "hash", "reason", "salt")]
    if cup.state == Cup.State.FINISHED and not any(one.kind == Kind.END for one in entries):
        yield "The cup has finished, but its ledger does not contain the final standings."
    frozen = proof.entrant_list((one.kind, one.document) for one in entries)
    if frozen is not None and (cup.key_hash, cup.entrants_hash) != (
        frozen["key_hash"],
        proof.entrants_hash(frozen["entrants"]),
    ):
        yield "The key hash or the hash of the entrant list is not the published one."
    yield from faults_of(cup.pk, bytes(cup.key), entries)
    yield from _stored(cup, entries)


def faults_of(cup: int, key: bytes, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield every fault of the ledger of a cup that is over, given its key. It needs no database."""
    yield from _chain(cup, entries)
    yield from _end(entries)
    frozen = proof.entrant_list((one.kind, one.document) for one in entries)
    if frozen is None:
        return
    if frozen["cup"] != cup:
        yield "The entrant list belongs to another cup."
    if sha256(key).hexdigest() != frozen["key_hash"]:
        yield "The key does not match the key hash that was published before the start."
    if "design" in frozen and not is_balanced(frozen["design"], len(frozen["entrants"]), frozen["seats"]):
        yield "The design is not balanced: some entrants meet more often than others."
    yield from _Replay(plan_from(frozen, key), frozen["blocks"]).faults(entries)


def _chain(cup: int, entries: Iterable[Entry]) -> Iterator[str]:
    previous = proof.START
    for expected, one in enumerate(entries, 1):
        if one.number != expected or one.hash != proof.chained(previous, cup, expected, one.kind, one.document):
            yield f"Entry {expected} of the ledger does not match its hash."
        if not _has_its_reason(one):
            yield f"The reason of entry {expected} of the ledger does not match its hash."
        previous = one.hash


def _end(entries: Sequence[Entry]) -> Iterator[str]:
    """A ledger ends with the final standings, or with its cancellation, which only changed settings may follow."""
    last = next((at for at, one in enumerate(entries) if one.kind in (Kind.END, Kind.CANCELLED)), None)
    if last is None:
        yield "The ledger is not finished: it contains neither final standings nor a cancellation."
        return
    canceled = entries[last].kind == Kind.CANCELLED
    for one in entries[last + 1 :]:
        if not canceled or one.kind != Kind.CHANGED:
            yield f"Entry {one.number} of the ledger follows the end of the cup."


def _has_its_reason(entry: Entry) -> bool:
    """Whether the reason matches its hash in the document. A removed reason does."""
    if entry.reason is None or entry.salt is None:
        return entry.reason is entry.salt
    try:
        return proof.reason_hash(entry.reason, entry.salt) == entry.document.get("reason_hash")
    except ValueError:
        return False


# --- The ledger ------------------------------------------------------------------------------------------------------


@dataclass
class _Replay:
    """Goes through a ledger and compares every entry with what follows from the entries before it."""

    plan: Plan
    blocks: int
    rounds: list[Document] = field(default_factory=list)
    played: list[PlayedRound] = field(default_factory=list)
    left: dict[int, str] = field(default_factory=dict)
    away: frozenset[int] = frozenset()
    running: Document | None = None
    rulings: dict[int, Points | None] = field(default_factory=dict)
    matches: set[int] = field(default_factory=set)

    def faults(self, entries: Iterable[Entry]) -> Iterator[str]:
        checks = {
            Kind.ROUND: self._round,
            Kind.RESULTS: self._results,
            Kind.RULING: self._ruling,
            Kind.LEFT: self._left,
            Kind.END: self._end,
        }
        for one in entries:
            if one.kind in checks:
                try:
                    yield from checks[Kind(one.kind)](one.document)
                except (KeyError, IndexError, TypeError, ValueError) as error:
                    yield f"Entry {one.number} of the ledger is malformed ({type(error).__name__}: {error})."

    def _round(self, document: Document) -> Iterator[str]:
        where = f"Round {document['round']}"
        if document["round"] != len(self.played) + 1 or self.running is not None:
            yield f"{where} does not follow the round before it."
        self.running, self.rulings, self.away = document, {}, frozenset(self.left)
        self.rounds.append(document)
        try:
            if not self.plan.follows(round_of(document), self.played, self.left):
                yield f"{where}: the tables or byes do not follow from the results before it."
        except PairingError as error:
            yield f"{where}: {error}"

    def _results(self, document: Document) -> Iterator[str]:
        number, running = document["round"], self.running
        if running is None or running["round"] != number:
            yield f"Round {number} ended before it started."
            return
        round_ = round_of(running)
        if any(len(document[name]) != len(round_.tables) for name in ("points", "gone", "blocks")):
            yield f"Round {number}: the numbers of results and tables differ."
        else:
            for index in range(len(round_.tables)):
                yield from self._table(round_, index, document, f"Round {number}, table {index + 1}")
        self.played.append(PlayedRound(round_, tuple(map(_tupled, document["points"]))))
        self.running = None

    def _table(self, round_: Round, index: int, document: Document, where: str) -> Iterator[str]:
        blocks, gone, points = document["blocks"][index], document["gone"][index], document["points"][index]
        seats, table = self.plan.seats, round_.tables[index]
        last = {table[place] for place in set(gone) & set(range(seats))}
        if len(last) != len(gone) or not last <= self.left.keys():
            yield f"{where}: an entrant ranks last twice or without having left the cup."
        if index not in self.rulings and not self.away & set(table) <= last:
            yield f"{where}: an entrant does not rank last although it had left the cup before the round."
        for block_number, block in enumerate(blocks, 1):
            seed = proof.seed_of(self.plan.key, self.plan.entrants_hash, document["round"], index + 1, block_number)
            if block["commitment"] != commitment(seed):
                yield f"{where}: the deal of block {block_number} does not follow from the key and the entrant list."
            yield from self._games(block["games"], where)
        from_games = settled(blocks, seats, gone, self.blocks)
        if index in self.rulings:
            if points != _listed(self.rulings[index]):
                yield f"{where}: the points do not match the ruling."
        elif points != _listed(from_games):
            yield f"{where}: the points do not follow from the games."
        elif not self._is_complete(round_, index, blocks, gone):
            yield f"{where}: wrong number of blocks."

    def _games(self, games: Sequence[Document], where: str) -> Iterator[str]:
        """A match is in the ledger once. It has possible ranks exactly if it is finished."""
        for match, status, ranks in ((game["match"], game["status"], game["ranks"]) for game in games):
            if match in self.matches:
                yield f"{where}: match {match} is in the ledger twice."
            self.matches.add(match)
            if (status == Match.Status.FINISHED) != (ranks is not None):
                yield f"{where}: match {match} has ranks without a result, or a result without ranks."
            if ranks is not None and ranks != [1 + sum(other < own for other in ranks) for own in ranks]:
                yield f"{where}: match {match} has impossible ranks."

    def _is_complete(self, round_: Round, index: int, blocks: Sequence[Document], gone: Sequence[int]) -> bool:
        """Whether the table ended after its last block, and not before if nobody had left."""
        leaving = eliminated(round_, self.plan.seats)[index] if self.plan.format == Cup.Format.KNOCKOUT else 0
        ends = [
            is_over(blocks[:number], self.plan.seats, gone, self.blocks, leaving)
            for number in range(self.blocks, len(blocks) + 1)
        ]
        if self.plan.seats - len(gone) < 2:
            return True
        return bool(ends) and ends[-1] and (bool(gone) or not any(ends[:-1]))

    def _ruling(self, document: Document) -> Iterator[str]:
        number, index = document["round"], document["table"]
        where = f"Round {number}, table {index + 1}"
        if not 1 <= number <= len(self.rounds) or not 0 <= index < len(self.rounds[number - 1]["tables"]):
            yield f"{where}: the organizer ruled on a table that does not exist."
            return
        table, points = self.rounds[number - 1]["tables"][index], _tupled(document["points"])
        has_ended = number <= len(self.played)
        known = self.played[number - 1].results[index] if has_ended else self.rulings.get(index)
        if document["points"] != _ruling(table, document, known):
            yield f"{where}: the points do not follow from the ruling."
        if has_ended:
            past = self.played[number - 1]
            results = [*past.results[:index], points, *past.results[index + 1 :]]
            self.played[number - 1] = PlayedRound(past.round, tuple(results))
        else:
            self.rulings[index] = points

    def _left(self, document: Document) -> Iterator[str]:
        entrant = document["entrant"]
        if entrant is None:
            return  # before the entrant list was frozen
        if entrant in self.left or not 0 <= entrant < len(self.plan.entrants):
            yield f"Entrant {entrant} left twice or is not in the entrant list."
        self.left.setdefault(entrant, document["state"])

    def _end(self, document: Document) -> Iterator[str]:
        if document["key"] != self.plan.key.hex():
            yield "The key in the last entry is not the published key."
        try:
            if self.running is not None or self.plan.next_round(self.played, self.left) is not None:
                yield "The cup ended before its last round."
        except PairingError as error:
            yield str(error)
        if document["standings"] != [
            [row.rank, row.entrant, row.match_points] for row in self.plan.standings(self.played, self.left)
        ]:
            yield "The final standings do not follow from the results."


def _ruling(table: Sequence[int], document: Document, points: Points | None) -> list[int] | None:
    """The points after a ruling on ``table``, which had ``points``."""
    loser = table.index(document["entrant"]) if document["entrant"] in table else None
    return _listed(ruled(len(table), points, Ruling(document["ruling"]), loser))


def _listed(points: Points | None) -> list[int] | None:
    return None if points is None else list(points)


def _tupled(points: Sequence[int] | None) -> Points | None:
    return None if points is None else tuple(points)


# --- The stored games ------------------------------------------------------------------------------------------------


def _stored(cup: Cup, entries: Iterable[Entry]) -> Iterator[str]:
    """Compare the ledger with the rounds, deals, games and versions in the database."""
    documents = [(one.kind, one.document) for one in entries]
    frozen = proof.entrant_list(documents)
    if frozen is None:
        return
    blocks = Block.objects.filter(cup_table__round__cup=cup).order_by(
        "cup_table__round__number", "cup_table__index", "number"
    )
    columns = ("cup_table__round__number", "cup_table__index", "number", "seed", "commitment")
    for round_, index, number, seed, hash_ in blocks.values_list(*columns):
        derived = proof.seed_of(bytes(cup.key), cup.entrants_hash, round_, index + 1, number or 0)
        if bytes(seed) != derived or hash_ != commitment(derived):
            where = f"Round {round_}, table {index + 1}"
            yield f"{where}: the deal of block {number} does not follow from the key and the entrant list."
    rounds = {one["round"]: one for kind, one in documents if kind == Kind.ROUND}
    for number, tables in _tables_of(cup):
        if [table.entrants for table in tables] != rounds.get(number, {}).get("tables"):
            yield f"Round {number}: the stored tables are not those of the ledger."
    for kind, document in documents:
        if kind == Kind.RESULTS:
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
