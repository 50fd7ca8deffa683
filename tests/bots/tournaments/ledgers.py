"""Ledgers of cups that are played at random without a database, as documents of ``cup-ledger/2``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final

from bots.tournaments.formats import FORMATS, Plan
from bots.tournaments.keys import cup_seed
from bots.tournaments.ledger import START, chained, plan_from, played_from, reason_hash
from bots.tournaments.rounds import Round
from bots.tournaments.seatings import seatings
from bots.tournaments.tables import Ruling, is_over, ruled, settled
from games.chance import commitment
from games.rules import Document

CUP = 7


@dataclass
class PlayedLedger:
    """A cup that is played at random. Better seeds win more often; some games are void, and some entrants leave."""

    format: str
    seats: int
    entrants: int
    seed: int = 1
    rounds: int | None = None
    blocks: int = 1
    at_a_table: int = 1
    owners: int = 0
    trouble: float = 0.0
    entries: list[Document] = field(default_factory=list)
    random: Random = field(init=False)
    plan: Plan = field(init=False)
    match: int = 100
    left: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        key = self.random.randbytes(32)
        frozen = {
            "cup": CUP,
            "game": "edel-stein-reich",
            "seats": self.seats,
            "format": self.format,
            "blocks": self.blocks,
            "rounds": self.rounds,
            "at_a_table": self.at_a_table,
            "key_hash": sha256(key).hexdigest(),
            "entrants": [self._entrant(number) for number in range(self.entrants)],
        }
        if tables := FORMATS[self.format].design(self.entrants, self.seats):
            frozen["design"] = [list(table) for table in tables]
        self._append("paused", {}, "The room is not ready – bitte warten.")
        self._append("left", {"entrant": None, "bot": 999, "state": "withdrawn"})
        self._append("entrants", frozen)
        self.plan = plan_from(frozen, key)

    def _entrant(self, number: int) -> Document:
        owner = None if not self.owners or self.random.random() < 0.2 else self.random.randrange(self.owners)
        return {"bot": 1000 + number, "version": 1, "digest": f"{number:064x}", "owner": owner}

    def _append(self, kind: str, document: Document, reason: str | None = None) -> None:
        salt = reason and Random(len(self.entries)).randbytes(16).hex()
        author = None if reason is None else 3
        document = {**document, "author": author, "reason_hash": reason and reason_hash(reason, str(salt))}
        previous = self.entries[-1]["hash"] if self.entries else START
        number = len(self.entries) + 1
        hashed = chained(previous, CUP, number, kind, document)
        entry = {"number": number, "kind": kind, "document": document, "hash": hashed}
        self.entries.append({**entry, "reason": reason, "salt": salt})

    def documents(self) -> list[tuple[str, Document]]:
        return [(entry["kind"], entry["document"]) for entry in self.entries]

    def played(self) -> Document:
        """Play to the end, and return the ledger."""
        while (following := self.plan.next_round(played_from(self.documents()), self.left)) is not None:
            self._round(following)
        rows = self.plan.standings(played_from(self.documents()), self.left)
        standings = [[row.rank, row.entrant, row.match_points] for row in rows]
        self._append("end", {"key": self.plan.key.hex(), "standings": standings})
        return {
            "format": "cup-ledger/2",
            "cup": CUP,
            "key_hash": sha256(self.plan.key).hexdigest(),
            "entrants_hash": self.plan.entrants_hash,
            "key": self.plan.key.hex(),
            "entries": self.entries,
        }

    def _round(self, round_: Round) -> None:
        number = len(played_from(self.documents())) + 1
        tables = [list(table) for table in round_.tables]
        self._append("round", {"round": number, "tables": tables, "byes": list(round_.byes)})
        leaving = FORMATS[self.format].tie_places(self.seats, round_)
        points, gone, blocks, ruled_on = [], [], [], None
        for index, table in enumerate(tables):
            if self.random.random() < self.trouble and len(self.left) < self.entrants // 4:
                self._leave(self.random.choice(table))
            if ruled_on is None and self.random.random() < self.trouble:
                ruled_on = index
            away = [place for place, entrant in enumerate(table) if entrant in self.left]
            table_blocks = self._blocks((number, index + 1), table, away, leaving[index])
            result = settled(table_blocks, self.seats, away, self.blocks)
            gone.append(away)
            blocks.append(table_blocks)
            points.append(None if result is None else list(result))
        if ruled_on is not None and number % 2:
            points[ruled_on] = self._rule(number, ruled_on, tables[ruled_on], None)
        self._append("results", {"round": number, "points": points, "gone": gone, "blocks": blocks})
        if ruled_on is not None and not number % 2 and not FORMATS[self.format].results_decide_pairings:
            self._rule(number, ruled_on, tables[ruled_on], points[ruled_on])

    def _leave(self, entrant: int) -> None:
        if entrant not in self.left:
            self.left[entrant] = state = "disqualified" if entrant % 2 else "withdrawn"
            self._append("left", {"entrant": entrant, "state": state}, "Zu müde.")

    def _rule(self, number: int, index: int, table: list[int], points: list[int] | None) -> list[int] | None:
        ruling = self.random.choice(list(Ruling))
        loser = self.random.randrange(self.seats) if ruling is Ruling.LOSS else None
        after = ruled(self.seats, None if points is None else tuple(points), ruling, loser)
        document = {
            "round": number,
            "table": index,
            "ruling": str(ruling),
            "entrant": None if loser is None else table[loser],
            "points": None if after is None else list(after),
        }
        self._append("ruling", document, "It used a forbidden library.")
        return None if after is None else list(after)

    def _blocks(self, where: tuple[int, int], table: list[int], away: list[int], leaving: int) -> list[Document]:
        blocks = list[Document]()
        while self.seats - len(away) > 1 and (
            len(blocks) < self.blocks or not is_over(blocks, self.seats, away, self.blocks, leaving)
        ):
            seed = cup_seed(self.plan.key, self.plan.entrants_hash, *where, len(blocks) + 1)
            blocks.append(self._block(table, commitment(seed)))
        return blocks

    def _block(self, table: list[int], hash_: str) -> Document:
        games, void = [], self.random.random() < self.trouble / 2
        for order in seatings(self.seats):
            self.match += 1
            if void:
                games.append({"match": self.match, "status": "void", "ranks": None})
                continue
            form = [round(self.random.gauss(-table[place] / 4, 2)) for place in order]
            ranks = [1 + sum(other > own for other in form) for own in form]
            games.append({"match": self.match, "status": "finished", "ranks": ranks})
        return {"commitment": hash_, "games": games}


def rechained(ledger: Document) -> Document:
    """Give every entry the hash of its changed document, as a forger would."""
    previous = START
    for entry in ledger["entries"]:
        previous = chained(previous, ledger["cup"], entry["number"], entry["kind"], entry["document"])
        entry["hash"] = previous
    return ledger


def renumbered(ledger: Document) -> None:
    """Number the entries, and compute the final standings, as a forger would who has added or removed entries."""
    for number, entry in enumerate(ledger["entries"], 1):
        entry["number"] = number
    documents = [(entry["kind"], entry["document"]) for entry in ledger["entries"]]
    left = {document["entrant"]: document["state"] for kind, document in documents if kind == "left"}
    rows = plan_from(of_kind(ledger, "entrants"), bytes.fromhex(ledger["key"])).standings(played_from(documents), left)
    of_kind(ledger, "end")["standings"] = [[row.rank, row.entrant, row.match_points] for row in rows]


def of_kind(ledger: Document, kind: str, number: int = 0) -> Any:
    """The document of the entry ``number`` (from 0) of this kind."""
    return [entry["document"] for entry in ledger["entries"] if entry["kind"] == kind][number]


Change = Callable[[Document], object]


STORED: Final = Path(__file__).with_suffix(".json")
"""Ledgers of each format and number of seats from November 2026. They must remain valid."""
