"""Play exhibition requests a few blocks at a time, until they are complete or decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import fmean
from typing import Final

from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Now

from bots.intervals import Mean, bounded
from bots.models import BotVersion
from esr_platform.accounts.roles import has_role
from ladder.exhibitions.choices import unable
from ladder.exhibitions.requests import cancelled, ended
from ladder.ledger.entries import NoSeason
from ladder.matches.blocks import UNRATED_PRIORITY, BlockPlayer, schedule_block
from ladder.matches.dispatch import AT_A_SET_TIME, dispatch
from ladder.models import Block, Exhibition, ExhibitionPlayer, Ladder, Match, SeatResult
from ladder.ratings.scores import beaten
from ladder.ratings.sprt import Hypotheses, LikelihoodWalk, TestVerdict, walk

# --- Scores so far ---------------------------------------------------------------------------------------------------
#
# A block counts when all of its games are finished. A void or canceled game excludes the whole deal.


@dataclass(frozen=True)
class BlockScore:
    """Mean score (0 to 1) and mean rank (from 1) of a version over the games of one line-up of a block."""

    score: float
    rank: float


@dataclass(frozen=True)
class VersionResult:
    """A version's row in the result table: means over blocks, ``None`` before the first block that counts."""

    version: BotVersion
    part: ExhibitionPlayer.Part
    score: Mean | None
    rank: Mean | None


_PARTS: Final = Case(*(When(part=part, then=Value(place)) for place, part in enumerate(ExhibitionPlayer.Part)))
"""Order of the parts: seats, or the compared versions and then their opponents."""


def listed_players() -> QuerySet[ExhibitionPlayer]:
    """Return the players of all exhibitions with bots and owners, in the order of the result table."""
    players = ExhibitionPlayer.objects.select_related("version__bot__owner").defer("version__validation_report")
    return players.order_by("exhibition", _PARTS, "index")


Scores = dict[int, dict[tuple[int, int], BlockScore]]
"""Scores by block (in order) and then by line-up and version."""


def scores(exhibition: Exhibition) -> Scores:
    """Return the scores of all blocks of ``exhibition`` that count. One query."""
    unfinished = Match.objects.filter(block=OuterRef("seat__match__block")).exclude(status=Match.Status.FINISHED)
    results = SeatResult.objects.filter(~Exists(unfinished), seat__match__block__exhibition=exhibition)
    games: dict[tuple[int, int, int], dict[int, int]] = defaultdict(dict)
    values = ("seat__match__block", "seat__match__lineup", "seat__match", "seat__version", "rank")
    for block, lineup, match, version, rank in results.order_by("seat__match__block").values_list(*values):
        games[block, lineup, match][version] = rank
    reached: dict[int, dict[tuple[int, int], list[tuple[float, int]]]] = defaultdict(lambda: defaultdict(list))
    for (block, lineup, _), ranks in games.items():
        for version, rank in ranks.items():
            reached[block][lineup, version].append((beaten(rank, list(ranks.values())), rank))
    return {
        block: {
            who: BlockScore(fmean(score for score, _ in games_played), fmean(rank for _, rank in games_played))
            for who, games_played in of_block.items()
        }
        for block, of_block in reached.items()
    }


def rows(exhibition: Exhibition, scores: Scores, players: Sequence[ExhibitionPlayer]) -> list[VersionResult]:
    """Return the result table, best first. In a comparison the two versions come before their opponents."""
    lines = []
    for player in players:
        own = [block[who] for block in scores.values() for who in block if who[1] == player.version_id]
        shown = bool(own) and player.part != ExhibitionPlayer.Part.GAUNTLET
        score = bounded([block_score.score for block_score in own]) if shown else None
        rank = bounded([block_score.rank for block_score in own], 1, exhibition.ladder.seats) if shown else None
        lines.append(VersionResult(player.version, ExhibitionPlayer.Part(player.part), score, rank))
    if exhibition.kind == Exhibition.Kind.COMPARISON:
        return lines
    return sorted(lines, key=lambda line: -line.score.value if line.score else 0.0)


def over_in_turn(exhibition: Exhibition) -> list[int]:
    """Return the blocks of ``exhibition`` up to the first unfinished one. Read them before the scores.

    The duration of games must not affect the order in which blocks count.
    """
    ids = []
    for block, when in Block.objects.filter(exhibition=exhibition).order_by("pk").values_list("pk", "ended"):
        if when is None:
            break
        ids.append(block)
    return ids


def differences(exhibition: Exhibition, over: Sequence[int], scores: Scores) -> list[float]:
    """Return candidate score minus baseline score, for each block in ``over`` that counts."""
    pair = dict(exhibition.players.exclude(part=ExhibitionPlayer.Part.GAUNTLET).values_list("part", "version"))
    candidate, baseline = pair[ExhibitionPlayer.Part.CANDIDATE], pair[ExhibitionPlayer.Part.BASELINE]
    return [scores[block][0, candidate].score - scores[block][1, baseline].score for block in over if block in scores]


def hypotheses(exhibition: Exhibition) -> Hypotheses:
    """Return the hypotheses of a comparison."""
    return Hypotheses((exhibition.margin or 0) / 1000)


def walk_of(exhibition: Exhibition) -> LikelihoodWalk:
    """Return the current walk of a comparison."""
    over = over_in_turn(exhibition)
    return walk(differences(exhibition, over, scores(exhibition)), hypotheses(exhibition))


# --- Blocks to play --------------------------------------------------------------------------------------------------
#
# The row of the exhibition is locked before the rows of the ladder and of matches, here and wherever an exhibition
# ends.

AHEAD: Final = 4
"""Unfinished blocks per exhibition: enough to keep workers busy, few enough to stop early."""

READY_BEFORE: Final = timedelta(seconds=30)
"""Scheduled matches are created this long before their start time."""

_NOT_AGREED: Final = "Not every bot owner accepted the invitation before the start time."
_State = Exhibition.State


def feed() -> int:
    """Create blocks for all open exhibitions that are due; return their number. Safe to run concurrently."""
    _end_without_agreement()
    due = Q(state=_State.RUNNING) | Q(state=_State.PLANNED, due_at__lte=Now() + READY_BEFORE)
    first = Exhibition.objects.filter(due, ladder__paused=None).order_by(F("due_at").asc(nulls_last=True), "pk")
    return sum(_feed(exhibition_id) for exhibition_id in first.values_list("pk", flat=True))


def _feed(exhibition_id: int) -> int:
    if _pending(exhibition_id) >= AHEAD:
        return 0  # checked without a lock because usually there is nothing to do
    with transaction.atomic():
        held = Exhibition.objects.select_for_update(no_key=True, of=("self",)).select_related("ladder", "requested_by")
        exhibition = held.get(pk=exhibition_id)
        if exhibition.state not in (_State.PLANNED, _State.RUNNING):
            return 0
        return 0 if _is_over(exhibition) else _write(exhibition)


def _is_over(exhibition: Exhibition) -> bool:
    """End the exhibition if it is complete or cannot continue; return whether it ended."""
    pending, written = _pending(exhibition.pk), exhibition.blocks.count()
    verdict = walk_of(exhibition).verdict if exhibition.kind == Exhibition.Kind.COMPARISON else TestVerdict.OPEN
    if verdict is not TestVerdict.OPEN or (written >= exhibition.blocks_wanted and not pending):
        ended(exhibition, verdict)
        return True
    if written >= exhibition.blocks_wanted:
        return False
    problem = unable([player.version for player in _players(exhibition)], exhibition.ladder)
    if not exhibition.requested_by.is_active:
        problem = "The account of the user who requested it is closed."
    if problem:
        cancelled(exhibition, problem)
    return bool(problem)


def _write(exhibition: Exhibition) -> int:
    """Create the next blocks; return their number. Without an open season they wait for the next one."""
    written = exhibition.blocks.count()
    scheduled = exhibition.kind == Exhibition.Kind.SCHEDULED
    most = exhibition.blocks_wanted if scheduled else AHEAD - _pending(exhibition.pk)
    count = min(most, exhibition.blocks_wanted - written)
    ladder = Ladder.objects.select_for_update(no_key=True).get(pk=exhibition.ladder_id)
    try:
        with transaction.atomic():
            blocks = [_block(exhibition, ladder, number) for number in range(written, written + count)]
    except NoSeason:
        return 0
    Exhibition.objects.filter(pk=exhibition.pk, state=_State.PLANNED).update(state=_State.RUNNING)
    if not scheduled:
        transaction.on_commit(dispatch)
    return len(blocks)


def _block(exhibition: Exhibition, ladder: Ladder, number: int) -> Block:
    """Create block ``number`` (from 0) of the exhibition."""
    players, others = lineups(exhibition, ladder.seats, number)
    return schedule_block(
        ladder,
        players,
        others=others,
        purpose=Block.Purpose(exhibition.kind),
        priority=_priority(exhibition, number),
        due_at=exhibition.due_at,
        sent=False,
        exhibition=exhibition,
        rotated=exhibition.rotated,
    )


def _priority(exhibition: Exhibition, number: int) -> int:
    """Scheduled matches of staff, and the first deal of everyone else's, have the highest priority.

    Other deals share the workers with other requests. Otherwise a start time would bypass all ladders.
    """
    at_once = exhibition.kind == Exhibition.Kind.SCHEDULED and (number == 0 or has_role(exhibition.requested_by))
    return AT_A_SET_TIME if at_once else UNRATED_PRIORITY


def lineups(exhibition: Exhibition, seats: int, number: int) -> tuple[list[BlockPlayer], list[BlockPlayer]]:
    """Return the two line-ups of block ``number`` (from 0); only comparisons have a second one."""
    parts: Mapping[str, list[BotVersion]] = {part: [] for part in ExhibitionPlayer.Part}
    for player in _players(exhibition):
        parts[player.part].append(player.version)
    if exhibition.kind != Exhibition.Kind.COMPARISON:
        return [BlockPlayer(version) for version in parts[ExhibitionPlayer.Part.SEAT]], []
    gauntlet, others = parts[ExhibitionPlayer.Part.GAUNTLET], seats - 1
    opponents = [BlockPlayer(gauntlet[(number * others + place) % len(gauntlet)]) for place in range(others)]
    (candidate,), (baseline,) = parts[ExhibitionPlayer.Part.CANDIDATE], parts[ExhibitionPlayer.Part.BASELINE]
    return [BlockPlayer(candidate), *opponents], [BlockPlayer(baseline), *opponents]


def _players(exhibition: Exhibition) -> list[ExhibitionPlayer]:
    players = exhibition.players.select_related("version__bot").defer("version__validation_report")
    return list(players.order_by("part", "index"))


def _pending(exhibition_id: int) -> int:
    return Block.objects.filter(exhibition=exhibition_id, ended=None).count()


def _end_without_agreement() -> None:
    late = Exhibition.objects.filter(state=_State.INVITED, due_at__lte=Now())
    late.update(state=_State.CANCELLED, reason=_NOT_AGREED, ended=Now())
