"""Cups in which entrants leave: knockout and successive halving."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from bots.tournaments.rounds import Entrants, History, PairingError, PlayedRound, Points, Round, Table
from bots.tournaments.swiss import swiss_round

MOST_TIE_BLOCKS: Final = 2
"""How many blocks a knockout table plays beyond its number if places are tied that decide who advances."""


# --- Knockout --------------------------------------------------------------------------------------------------------


def advancing(seats: int) -> int:
    """How many entrants of a full knockout table advance: half of them, and one of three or five."""
    return seats // 2 if seats % 2 == 0 else 1


def knockout_round(entrants: Entrants, seats: int, played: Sequence[PlayedRound]) -> Round | None:
    """The next round of a knockout, or ``None`` after the final.

    The bracket follows the seeding: the top seeds have the byes, and can only meet late. If fewer have to leave than
    full tables eliminate, the first tables let more advance.

    Raises ``PairingError`` if the entrants do not fill a table.
    """
    if len(entrants) < max(2, seats):
        text = f"A knockout at {seats} seats needs at least {seats} entrants, not {len(entrants)}. Add entrants."
        raise PairingError(text, "too_few_entrants")
    alive = list(range(len(entrants)))
    for past in played:
        if len(alive) == seats:
            return None
        alive = survivors(past, seats, alive)
    return _bracket(entrants, alive, seats)


def survivors(played: PlayedRound, seats: int, alive: Sequence[int]) -> list[int]:
    """Return the entrants of ``alive`` who advance, in the order of their places in the bracket.

    The winner of a table takes its best place, as in a bracket that is drawn before the start.
    """
    places = {entrant: place for place, entrant in enumerate(alive)}
    stay = {places[entrant]: entrant for entrant in played.round.byes}
    shares = eliminated(played.round, seats)
    for table, points, leaving in zip(played.round, played.results, shares, strict=True):
        best = sorted(places[entrant] for entrant in table)
        stay |= dict(zip(best, ranking(table, points)[: len(table) - leaving], strict=False))
    return [stay[place] for place in sorted(stay)]


def ranking(table: Table, points: Points | None) -> list[int]:
    """The entrants of a knockout table, best first; equal points, and a void table, go by the seeding."""
    scores = points or (0,) * len(table)
    return [entrant for entrant, _ in sorted(zip(table, scores, strict=True), key=lambda pair: (-pair[1], pair[0]))]


def is_decided(points: Sequence[int], leaving: int, blocks: int, most: int, per_block: int) -> bool:
    """Whether a knockout table is over after ``blocks`` blocks with these ``points``.

    It is over as soon as none of those who leave could catch up in the blocks that are left of ``most``, where one
    block can bring ``per_block`` points. Tied places that decide are played on for up to ``MOST_TIE_BLOCKS`` more
    blocks. The number of blocks one after the other is therefore at most ``most + MOST_TIE_BLOCKS``.
    """
    ranked = sorted(points, reverse=True)
    lead = ranked[-leaving - 1] - ranked[-leaving]
    left = max(0, most - blocks)
    return lead > left * per_block or blocks >= most + MOST_TIE_BLOCKS or (left == 0 and lead > 0)


def eliminated(round_: Round, seats: int) -> list[int]:
    """How many entrants leave each table of a knockout round; later tables, of lower seeds, eliminate more."""
    out = _to_eliminate(len(round_.entrants), seats)
    return [(out + number) // len(round_.tables) for number in range(len(round_.tables))]


def _targets(seats: int, alive: int) -> int:
    """The size to reach: the largest field below ``alive`` that full tables bring down to a final."""
    size, stay = seats, advancing(seats)
    while size % stay == 0 and size // stay * seats < alive:
        size = size // stay * seats
    return size


def _to_eliminate(alive: int, seats: int) -> int:
    """How many leave in a round of ``alive``: enough to reach the target, bounded by the number of tables."""
    if alive == seats:
        return seats - 1
    return min(alive - _targets(seats, alive), alive // seats * (seats - advancing(seats)))


def _bracket(entrants: Entrants, alive: Sequence[int], seats: int) -> Round:
    out = _to_eliminate(len(alive), seats)
    if len(alive) == seats:
        return Round((tuple(alive),))
    count = -(-out // (seats - advancing(seats)))
    byes, playing = tuple(alive[: len(alive) - count * seats]), alive[len(alive) - count * seats :]
    tables: list[list[int]] = [[] for _ in range(count)]
    for row in range(seats):
        places = playing[row * count : (row + 1) * count]
        _seat(tables, places if row % 2 == 0 else places[::-1], entrants)
    return Round(tuple(tuple(sorted(table)) for table in tables), byes)


def _seat(tables: list[list[int]], places: Sequence[int], entrants: Entrants) -> None:
    """Give each table the next entrant of ``places``, or the nearest one who does not exceed the limit of an owner."""
    left = list(places)
    for table in tables:
        now = entrants.clashes(table)
        fitting = [entrant for entrant in left if entrants.clashes([*table, entrant]) == now]
        entrant = (fitting or left)[0]
        left.remove(entrant)
        table.append(entrant)


# --- Successive halving ----------------------------------------------------------------------------------------------


def halving_stages(entrants: int, seats: int, blocks: int) -> list[tuple[int, int]]:
    """The stages of successive halving, as pairs of the entrants left and the rounds that they play.

    Every stage has about the same number of tables, so that the blocks per entrant double when half of them leave
    (K. Jamieson, A. Talwalkar, *Non-stochastic Best Arm Identification*, 2016). ``blocks`` is the number of rounds of
    the first stage. The last stage is one table. Raises ``PairingError`` for too few entrants.
    """
    if entrants < max(2, seats):
        text = f"Successive halving at {seats} seats needs at least {seats} entrants, not {entrants}. Add entrants."
        raise PairingError(text, "too_few_entrants")
    stages, remaining = list[tuple[int, int]](), entrants
    while True:
        stages.append((remaining, -(-blocks * (entrants // seats) // (remaining // seats))))
        if remaining == seats:
            return stages
        remaining = max(seats, -(-remaining // 2))


def halving_round(history: History, blocks: int, left: Collection[int] = ()) -> Round | None:
    """The next round of successive halving, or ``None`` after the last.

    After each stage, the better half by the standings of the whole cup stays. Within a stage, rounds are paired like
    a Swiss cup among the entrants of the stage who have not ``left`` the cup.
    """
    done, alive = 0, list(range(len(history.entrants)))
    for number, (size, rounds) in enumerate(halving_stages(len(history.entrants), history.seats, blocks)):
        if number:
            past = History(history.entrants, history.seats, history.played[:done], history.lots)
            alive = sorted(row.entrant for row in past.standings(alive)[:size])
        if len(history.played) < done + rounds:
            playing = [entrant for entrant in alive if entrant not in left]
            return swiss_round(history, playing) if len(playing) >= max(2, history.seats) else None
        done += rounds
    return None
