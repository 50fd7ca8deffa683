"""Verify the ledger of a cup: recompute everything in it from the entrant list, the key and the results of the games.

``docs/reference/cup-ledger.md`` specifies the ledger and lists what is verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from bots.tournaments.elimination import MOST_TIE_BLOCKS
from bots.tournaments.formats import FORMATS, MOST_BLOCKS, MOST_ROUNDS, Plan
from bots.tournaments.keys import cup_seed, key_hash
from bots.tournaments.ledger import START, Entry, Ledger, chained, fits, plan_from, reason_hash, round_of
from bots.tournaments.round_robin import is_balanced
from bots.tournaments.rounds import PairingError, PlayedRound, Points, Round
from bots.tournaments.seatings import seatings
from bots.tournaments.tables import MOST_REPLACEMENTS, Ruling, is_over, ruled, settled
from games.chance import commitment
from games.record import RecordError, require_valid
from games.rules import Document

MOST_TABLES: Final = 1000
"""The most tables of a balanced design. Ours have at most 704."""

FINISHED: Final = "finished"
CANCELED: Final = "cancelled"
UNFINISHED: Final = "unfinished"

_GAME: Final = {"match": int, "status": str, "ranks": ([int], None)}
_SHAPES: Final[dict[str, Any]] = {
    "entrants": {
        "cup": int,
        "game": str,
        "seats": int,
        "format": str,
        "blocks": int,
        "rounds": (int, None),
        "at_a_table": int,
        "key_hash": str,
        "entrants": [{"bot": int, "version": int, "digest": str, "owner": (int, None)}],
    },
    "round": {"round": int, "tables": [[int]], "byes": [int]},
    "results": {
        "round": int,
        "points": [([int], None)],
        "gone": [[int]],
        "blocks": [[{"commitment": str, "games": [_GAME]}]],
    },
    "ruling": {"round": int, "table": int, "ruling": str, "entrant": (int, None), "points": ([int], None)},
    "left": {"entrant": (int, None), "state": str},
    "end": {"key": str, "standings": [[int]]},
}
"""The documents of the entries that decide a cup. Other entries are information only."""


@dataclass(frozen=True)
class CupGame:
    """What a ledger says about a finished match. The digest of a seat is ``None`` if a substitute may play there.

    ``seed`` is hexadecimal, or empty while the key is secret.
    """

    match: int
    game: str
    seed: str
    ranks: Sequence[int]
    digests: Sequence[str | None]


@dataclass
class VerificationReport:
    """What the verification of a ledger has found.

    ``state`` is ``finished``, ``cancelled`` or ``unfinished``. ``rounds`` counts the rounds with results, ``removed``
    the reasons that moderators removed. ``games`` has the finished matches by id.
    """

    state: str
    faults: list[str] = field(default_factory=list)
    rounds: int = 0
    removed: int = 0
    games: dict[int, CupGame] = field(default_factory=dict)


def verify_cup(ledger: Ledger) -> VerificationReport:
    """Verify a ledger. While its key is secret, deals, pairings and standings cannot be recomputed.

    Faults in the pairings and in the structure of an entry end the verification, because everything after them would
    also be wrong. Raises ``swiss.NoMatching`` if a round needs rustworkx, which is not installed.
    """
    last = next((at for at, entry in enumerate(ledger.entries) if entry.kind in ("end", "cancelled")), None)
    ended = last is not None and ledger.key is not None
    report = VerificationReport(
        (FINISHED if ledger.entries[last or 0].kind == "end" else CANCELED) if ended else UNFINISHED
    )
    report.faults += chain(_chain(ledger, report), _after_the_end(ledger.entries, last))
    report.faults += _course(ledger, report)
    return report


def _chain(ledger: Ledger, report: VerificationReport) -> Iterator[str]:
    previous = START
    for expected, entry in enumerate(ledger.entries, 1):
        if entry.number != expected or entry.hash != _hash_of(previous, ledger.cup, expected, entry):
            yield f"Entry {expected} of the ledger does not match its hash."
        if not _has_its_reason(entry):
            yield f"The reason of entry {expected} of the ledger does not match its hash."
        report.removed += entry.reason is None and entry.document.get("reason_hash") is not None
        previous = entry.hash


def _hash_of(previous: str, cup: int, number: int, entry: Entry) -> str | None:
    """The hash that an entry must have, or ``None`` for a document that has no canonical form."""
    try:
        return chained(previous, cup, number, entry.kind, entry.document)
    except TypeError:
        return None


def _has_its_reason(entry: Entry) -> bool:
    """Whether the reason matches its hash in the document. A removed reason does."""
    if entry.reason is None or entry.salt is None:
        return entry.reason is entry.salt
    try:
        hashed = reason_hash(entry.reason, entry.salt)
    except ValueError:  # no hexadecimal digits, or a reason that is not Unicode text
        return False
    return " " not in entry.salt and hashed == entry.document.get("reason_hash")


def _after_the_end(entries: Sequence[Entry], last: int | None) -> Iterator[str]:
    """A ledger ends with the final standings, or with its cancellation, which only changed settings may follow."""
    for entry in () if last is None else entries[last + 1 :]:
        if entries[last or 0].kind == "end" or entry.kind != "changed":
            yield f"Entry {entry.number} of the ledger follows the end of the cup."


def _course(ledger: Ledger, report: VerificationReport) -> Iterator[str]:
    frozen = ledger.entrants
    if frozen is None:
        if ledger.entrants_hash or any(entry.kind in ("round", "results", "ruling", "end") for entry in ledger.entries):
            yield "The entrant list is missing."
        return
    if not fits(frozen, _SHAPES["entrants"]) or not _is_possible(frozen):
        yield "The entrant list is malformed or exceeds a limit of cups."
        return
    try:
        plan = plan_from(frozen, ledger.key or b"")
    except TypeError:
        yield "The entrant list has no canonical form."
        return
    if frozen["cup"] != ledger.cup:
        yield "The entrant list belongs to another cup."
    if (ledger.key_hash, ledger.entrants_hash) != (frozen["key_hash"], plan.entrants_hash):
        yield "The key hash or the hash of the entrant list is not the published one."
    if ledger.key is not None and key_hash(ledger.key) != frozen["key_hash"]:
        yield "The key does not match the key hash that was published before the start."
    yield from _Replay(plan, frozen, report).faults(ledger.entries)


def _is_possible(frozen: Document) -> bool:
    """Whether the entrant list is within the limits of cups, so that it can be paired. Its shape is right."""
    entrants, seats, format_ = len(frozen["entrants"]), frozen["seats"], FORMATS.get(frozen["format"])
    return (
        format_ is not None
        and seats in format_.seat_counts
        and seats <= entrants <= format_.most_entrants(seats)
        and 1 <= frozen["blocks"] <= MOST_BLOCKS
        and frozen["at_a_table"] >= 1
        and format_.has_chosen_rounds == (frozen["rounds"] is not None)
        and (frozen["rounds"] or 1) in range(1, MOST_ROUNDS + 1)
        and bool(format_.design(entrants, seats)) == ("design" in frozen)
        and fits(frozen.get("design", []), [[int]])
        and len(frozen.get("design", ())) <= MOST_TABLES
    )


# --- Entries ---------------------------------------------------------------------------------------------------------


class _Broken(ValueError):
    """A fault after which nothing else in the ledger can be verified."""


@dataclass
class _Replay:
    """Goes through a ledger and compares every entry with the result of the entries before it."""

    plan: Plan
    frozen: Document
    report: VerificationReport
    is_frozen: bool = False
    rounds: list[Document] = field(default_factory=list)
    played: list[PlayedRound] = field(default_factory=list)
    left: dict[int, str] = field(default_factory=dict)
    away: frozenset[int] = frozenset()
    running: Document | None = None
    rulings: dict[int, Points | None] = field(default_factory=dict)
    matches: set[int] = field(default_factory=set)

    def faults(self, entries: Sequence[Entry]) -> Iterator[str]:
        checks: dict[str, Callable[[Document], Iterator[str]]] = {
            "entrants": self._entrants,
            "round": self._round,
            "results": self._results,
            "ruling": self._ruling,
            "left": self._left,
            "end": self._end,
        }
        for entry in entries:
            if entry.kind not in checks:
                continue
            if not fits(entry.document, _SHAPES[entry.kind]):
                yield f"Entry {entry.number} of the ledger is malformed."
                return
            try:
                yield from checks[entry.kind](entry.document)
            except _Broken as fault:
                yield str(fault)
                return

    def _entrants(self, document: Document) -> Iterator[str]:
        if self.is_frozen:
            yield "The ledger has two entrant lists."
        self.is_frozen, entrants = True, len(self.plan.entrants)
        if "design" in document and not is_balanced(document["design"], entrants, self.plan.seats):
            raise _Broken("The design is not balanced: some entrants meet more often than others.")

    def _round(self, document: Document) -> Iterator[str]:
        where, seats, size = f"Round {document['round']}", self.plan.seats, len(self.plan.entrants)
        if document["round"] != len(self.played) + 1 or self.running is not None or not self.is_frozen:
            raise _Broken(f"{where} does not follow the round before it.")
        seated = [*chain(*document["tables"]), *document["byes"]]
        are_whole = all(len(table) == len(set(table)) == seats for table in document["tables"])
        if not are_whole or not set(seated) <= set(range(size)):
            raise _Broken(f"{where}: a table is malformed.")
        self.running, self.rulings, self.away = document, {}, frozenset(self.left)
        self.rounds.append(document)
        if not self._follows(round_of(document)):
            raise _Broken(f"{where}: the tables or byes do not follow from the results before it.")
        yield from ()

    def _follows(self, round_: Round) -> bool:
        try:
            return not self.plan.key or self.plan.follows(round_, self.played, self.left)
        except PairingError:
            return False

    def _results(self, document: Document) -> Iterator[str]:
        number, running = document["round"], self.running
        if running is None or running["round"] != number:
            raise _Broken(f"Round {number} ended before it started.")
        round_ = round_of(running)
        if any(len(document[name]) != len(round_.tables) for name in ("points", "gone", "blocks")):
            raise _Broken(f"Round {number}: the numbers of results and tables differ.")
        for index in range(len(round_.tables)):
            yield from self._table(round_, index, document, f"Round {number}, table {index + 1}")
        self.played.append(PlayedRound(round_, tuple(map(_tupled, document["points"]))))
        self.running, self.report.rounds = None, number

    def _table(self, round_: Round, index: int, document: Document, where: str) -> Iterator[str]:
        blocks, gone, points = document["blocks"][index], document["gone"][index], document["points"][index]
        seats, table = self.plan.seats, round_.tables[index]
        self._require_whole(blocks, points, bool(gone) or index in self.rulings, where)
        last = {table[place] for place in set(gone) & set(range(seats))}
        if len(last) != len(gone) or not last <= self.left.keys():
            yield f"{where}: an entrant ranks last twice or without having left the cup."
        if index not in self.rulings and not self.away & set(table) <= last:
            yield f"{where}: an entrant does not rank last although it had left the cup before the round."
        for block_number, block in enumerate(blocks, 1):
            seed = b""
            if self.plan.key:
                seed = cup_seed(self.plan.key, self.plan.entrants_hash, document["round"], index + 1, block_number)
                if block["commitment"] != commitment(seed):
                    yield (
                        f"{where}: the deal of block {block_number} does not follow from the key and the entrant list."
                    )
            yield from self._games(block["games"], table, seed.hex(), where)
        if index in self.rulings:
            if points != _listed(self.rulings[index]):
                yield f"{where}: the points do not match the ruling."
        elif points != _listed(settled(blocks, seats, gone, self.frozen["blocks"])):
            yield f"{where}: the points do not follow from the games."
        elif not self._is_complete(round_, index, blocks, gone):
            yield f"{where}: wrong number of blocks."

    def _require_whole(self, blocks: Sequence[Document], points: list[int] | None, canceled: bool, where: str) -> None:
        """Raise ``_Broken`` unless each block has a game per seating and the numbers of seats and blocks are possible.

        Void blocks are replaced. If blocks can be ``canceled``, each entrant who leaves cancels those that are running.
        """
        seats, most = self.plan.seats, self.frozen["blocks"] + MOST_TIE_BLOCKS + MOST_REPLACEMENTS + 1
        if len(blocks) > (most * seats if canceled else most):
            raise _Broken(f"{where}: too many blocks.")
        games = list(chain.from_iterable(block["games"] for block in blocks))
        ranks = [game["ranks"] for game in games if game["ranks"] is not None]
        if any(len(block["games"]) != len(seatings(seats)) for block in blocks) or any(
            len(numbers) != seats for numbers in [*ranks, *([] if points is None else [points])]
        ):
            raise _Broken(f"{where}: wrong number of games, ranks or points.")

    def _games(self, games: Sequence[Document], table: Sequence[int], seed: str, where: str) -> Iterator[str]:
        """A match is in the ledger once. It has possible ranks exactly if it is finished."""
        for seating, game in zip(seatings(self.plan.seats), games, strict=True):
            match, ranks = game["match"], game["ranks"]
            if match in self.matches:
                yield f"{where}: match {match} is in the ledger twice."
            self.matches.add(match)
            if (game["status"] == "finished") != (ranks is not None):
                yield f"{where}: match {match} has ranks without a result, or a result without ranks."
            if ranks is None:
                continue
            if ranks != [1 + sum(other < own for other in ranks) for own in ranks]:
                yield f"{where}: match {match} has impossible ranks."
            entrants = [table[place] for place in seating]
            digests = [
                None if entrant in self.left else self.frozen["entrants"][entrant]["digest"] for entrant in entrants
            ]
            self.report.games[match] = CupGame(match, self.frozen["game"], seed, ranks, digests)

    def _is_complete(self, round_: Round, index: int, blocks: Sequence[Document], gone: Sequence[int]) -> bool:
        """Whether the table ended after its last block, and not before unless an entrant had left."""
        seats, least = self.plan.seats, self.frozen["blocks"]
        ties = self.plan.tournament_format.tie_places(seats, round_)[index]
        if seats - len(gone) < 2:
            return True
        if len(blocks) < least or not is_over(blocks, seats, gone, least, ties):
            return False
        earlier = () if gone else range(least, len(blocks))
        return not any(is_over(blocks[:number], seats, gone, least, ties) for number in earlier)

    def _ruling(self, document: Document) -> Iterator[str]:
        number, index = document["round"], document["table"]
        where = f"Round {number}, table {index + 1}"
        if not 1 <= number <= len(self.rounds) or not 0 <= index < len(self.rounds[number - 1]["tables"]):
            raise _Broken(f"{where}: the organizer ruled on a table that does not exist.")
        table, points = self.rounds[number - 1]["tables"][index], _tupled(document["points"])
        has_ended = number <= len(self.played)
        known = self.played[number - 1].results[index] if has_ended else self.rulings.get(index)
        loser = table.index(document["entrant"]) if document["entrant"] in table else None
        if document["ruling"] not in list(Ruling) or points != ruled(
            len(table), known, Ruling(document["ruling"]), loser
        ):
            raise _Broken(f"{where}: the points do not follow from the ruling.")
        if has_ended:
            past = self.played[number - 1]
            results = [*past.results[:index], points, *past.results[index + 1 :]]
            self.played[number - 1] = PlayedRound(past.round, tuple(results))
        else:
            self.rulings[index] = points
        yield from ()

    def _left(self, document: Document) -> Iterator[str]:
        entrant = document["entrant"]
        if entrant is None:
            return  # before the entrant list was frozen
        if entrant in self.left or not 0 <= entrant < len(self.plan.entrants) or not self.is_frozen:
            yield f"Entrant {entrant} left twice or is not in the entrant list."
        self.left.setdefault(entrant, document["state"])

    def _end(self, document: Document) -> Iterator[str]:
        if not self.plan.key:
            yield "The key is not public although the cup has ended."
            return
        if document["key"] != self.plan.key.hex():
            yield "The key in the last entry is not the published key."
        if self.running is not None or self.plan.next_round(self.played, self.left) is not None:
            yield "The cup ended before its last round."
        rows = self.plan.standings(self.played, self.left)
        if document["standings"] != [[row.rank, row.entrant, row.match_points] for row in rows]:
            yield "The final standings do not follow from the results."


def _listed(points: Points | None) -> list[int] | None:
    return None if points is None else list(points)


def _tupled(points: Sequence[int] | None) -> Points | None:
    return None if points is None else tuple(points)


# --- Records ---------------------------------------------------------------------------------------------------------


def record_faults(game: CupGame, players: Any, record: Any) -> Iterator[str]:
    """Re-execute the record of a match, and compare it with the ledger.

    ``players`` are those of a line of ``esr download``, each with the ``digest`` of its version.
    """
    try:
        require_valid(record)
    except RecordError as error:
        yield f"Match {game.match}: {error}."
        return
    if record["game"] != game.game or record["seats"] != len(game.ranks):
        yield f"Match {game.match}: the record is of another game or number of seats."
    elif game.seed not in ("", record["seed"]):
        yield f"Match {game.match}: the seed of the record is not that of the ledger."
    elif record["outcome"] is None or record["outcome"]["ranks"] != list(game.ranks):
        yield f"Match {game.match}: the ranks of the re-executed record are not those of the ledger."
    digests = [player["digest"] for player in players] if fits(players, [{"digest": str}]) else []
    if len(digests) != len(game.digests) or any(
        known not in (None, digest) for known, digest in zip(game.digests, digests, strict=True)
    ):
        yield f"Match {game.match}: a player is not in the entrant list."
