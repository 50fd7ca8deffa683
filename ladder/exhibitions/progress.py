"""Play exhibition requests a few blocks at a time, until they are complete or decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import fmean
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now

from bots.models import BotVersion
from ladder.exhibitions.choices import unable
from ladder.exhibitions.requests import cancelled, ended
from ladder.ledger.append import NoSeason
from ladder.matches.blocks import Player, schedule_block
from ladder.matches.dispatch import AT_A_SET_TIME, dispatch
from ladder.models import Block, Ladder, Match, Order, OrderPlayer, SeatResult
from ladder.ratings.means import Mean, mean_of
from ladder.ratings.scores import beaten
from ladder.ratings.sprt import Hypotheses, Verdict, Walk, walk

# --- Scores so far ---------------------------------------------------------------------------------------------------
#
# A block counts when every one of its games is finished: a void or cancelled game takes its whole deal out.


@dataclass(frozen=True)
class BlockScore:
    """What a version reached in one line-up of a block: means over its games. The score is 0 to 1, the rank from 1."""

    score: float
    rank: float


@dataclass(frozen=True)
class Row:
    """A version's line in the table of an order: means over blocks, ``None`` before the first block that counts."""

    version: BotVersion
    part: OrderPlayer.Part
    score: Mean | None
    rank: Mean | None


Scores = dict[int, dict[tuple[int, int], BlockScore]]
"""By block, in the order of their numbers, and then by line-up and version."""


def scores(order: Order) -> Scores:
    """The scores of every block of ``order`` that counts; one query."""
    unfinished = Match.objects.filter(block=OuterRef("seat__match__block")).exclude(status=Match.Status.FINISHED)
    results = SeatResult.objects.filter(~Exists(unfinished), seat__match__block__order=order)
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
            who: BlockScore(fmean(score for score, _ in found), fmean(rank for _, rank in found))
            for who, found in of_block.items()
        }
        for block, of_block in reached.items()
    }


def rows(order: Order, found: Scores, players: Sequence[OrderPlayer]) -> list[Row]:
    """The table of an order, the best first; in a comparison the two versions come before their opponents."""
    lines = []
    for player in players:
        own = [block[who] for block in found.values() for who in block if who[1] == player.version_id]
        score = mean_of([one.score for one in own]) if player.part != OrderPlayer.Part.GAUNTLET else None
        rank = mean_of([one.rank for one in own]) if player.part != OrderPlayer.Part.GAUNTLET else None
        lines.append(Row(player.version, OrderPlayer.Part(player.part), score, rank))
    if order.kind == Order.Kind.COMPARISON:
        return lines
    return sorted(lines, key=lambda line: -line.score.value if line.score else 0.0)


def over_in_turn(order: Order) -> list[int]:
    """The blocks of ``order`` by number, up to the first that is still being played; to be read before the scores.

    Which games last long must not decide which count first.
    """
    ids = []
    for block, when in Block.objects.filter(order=order).order_by("pk").values_list("pk", "ended"):
        if when is None:
            break
        ids.append(block)
    return ids


def differences(order: Order, over: Sequence[int], found: Scores) -> list[float]:
    """By block of ``over`` that counts, what the candidate scored more than the baseline on the same deal."""
    pair = dict(order.players.exclude(part=OrderPlayer.Part.GAUNTLET).values_list("part", "version"))
    candidate, baseline = pair[OrderPlayer.Part.CANDIDATE], pair[OrderPlayer.Part.BASELINE]
    return [found[block][0, candidate].score - found[block][1, baseline].score for block in over if block in found]


def hypotheses(order: Order) -> Hypotheses:
    """What a comparison asks."""
    return Hypotheses((order.margin or 0) / 1000)


def walk_of(order: Order) -> Walk:
    """How a comparison stands."""
    over = over_in_turn(order)
    return walk(differences(order, over, scores(order)), hypotheses(order))


# --- Blocks to play --------------------------------------------------------------------------------------------------
#
# The order's row is locked first, before the ladder's and before anything of a match, here and wherever an order ends.

AHEAD: Final = 4
"""Blocks of an order that are not over at a time: enough to keep workers busy, few enough to stop early."""

READY_BEFORE: Final = timedelta(seconds=30)
"""So long before its time a scheduled match is written, with its time as the moment from which it may be played."""

ORDERED: Final = -1
"""The priority of tests, challenges and comparisons: below the ladder's, with a share of their own in dispatching."""

_NOT_AGREED: Final = "Not everybody had agreed when its time came."
_State = Order.State


def feed() -> int:
    """Go on with every order that is open and due; how many blocks were written. Safe to run twice at once."""
    _end_without_agreement()
    due = Q(state=_State.RUNNING) | Q(state=_State.PLANNED, due_at__lte=Now() + READY_BEFORE)
    first = Order.objects.filter(due).order_by(F("due_at").asc(nulls_last=True), "pk")
    return sum(_feed(order_id) for order_id in first.values_list("pk", flat=True))


def _feed(order_id: int) -> int:
    if _pending(order_id) >= AHEAD:
        return 0  # found out without a lock: mostly there is nothing to do
    with transaction.atomic():
        held = Order.objects.select_for_update(no_key=True, of=("self",)).select_related("ladder", "requested_by")
        order = held.get(pk=order_id)
        if order.state not in (_State.PLANNED, _State.RUNNING):
            return 0
        return 0 if _is_over(order) else _write(order)


def _is_over(order: Order) -> bool:
    """End the order if it has what it wanted or cannot go on; whether that is so."""
    pending, written = _pending(order.pk), order.blocks.count()
    verdict = walk_of(order).verdict if order.kind == Order.Kind.COMPARISON else Verdict.OPEN
    if verdict is not Verdict.OPEN or (written >= order.blocks_wanted and not pending):
        ended(order, verdict)
        return True
    if written >= order.blocks_wanted:
        return False
    problem = unable([player.version for player in _players(order)], order.ladder)
    if not order.requested_by.is_active:
        problem = "Whoever ordered it has no account any more."
    if problem:
        cancelled(order, problem)
    return bool(problem)


def _write(order: Order) -> int:
    """Write the next blocks; how many. Without an open season they wait for the next one."""
    written = order.blocks.count()
    scheduled = order.kind == Order.Kind.SCHEDULED
    most = order.blocks_wanted if scheduled else AHEAD - _pending(order.pk)
    count = min(most, order.blocks_wanted - written)
    ladder = Ladder.objects.select_for_update(no_key=True).get(pk=order.ladder_id)
    try:
        with transaction.atomic():
            blocks = [_block(order, ladder, number) for number in range(written, written + count)]
    except NoSeason:
        return 0
    Order.objects.filter(pk=order.pk, state=_State.PLANNED).update(state=_State.RUNNING)
    if not scheduled:
        transaction.on_commit(dispatch)
    return len(blocks)


def _block(order: Order, ladder: Ladder, number: int) -> Block:
    """Block ``number`` of the order, from 0."""
    players, others = lineups(order, ladder.seats, number)
    return schedule_block(
        ladder,
        players,
        others=others,
        purpose=Block.Purpose(order.kind),
        priority=_priority(order, number),
        due_at=order.due_at,
        sent=False,
        order=order,
        rotated=order.rotated,
    )


def _priority(order: Order, number: int) -> int:
    """Staff's matches at a set time go before everything, of everybody's the first deal.

    The other deals take turns with what else was ordered: else naming a time would be a way past all ladders.
    """
    at_once = order.kind == Order.Kind.SCHEDULED and (number == 0 or order.requested_by.is_staff)
    return AT_A_SET_TIME if at_once else ORDERED


def lineups(order: Order, seats: int, number: int) -> tuple[list[Player], list[Player]]:
    """Who plays block ``number`` of ``order`` (from 0); the second line-up is empty but in a comparison."""
    parts: Mapping[str, list[BotVersion]] = {part: [] for part in OrderPlayer.Part}
    for player in _players(order):
        parts[player.part].append(player.version)
    if order.kind != Order.Kind.COMPARISON:
        return [Player(version) for version in parts[OrderPlayer.Part.SEAT]], []
    gauntlet, others = parts[OrderPlayer.Part.GAUNTLET], seats - 1
    opponents = [Player(gauntlet[(number * others + place) % len(gauntlet)]) for place in range(others)]
    (candidate,), (baseline,) = parts[OrderPlayer.Part.CANDIDATE], parts[OrderPlayer.Part.BASELINE]
    return [Player(candidate), *opponents], [Player(baseline), *opponents]


def _players(order: Order) -> list[OrderPlayer]:
    players = order.players.select_related("version__bot").defer("version__check_report")
    return list(players.order_by("part", "index"))


def _pending(order_id: int) -> int:
    return Block.objects.filter(order=order_id, ended=None).count()


def _end_without_agreement() -> None:
    late = Order.objects.filter(state=_State.INVITED, due_at__lte=Now())
    late.update(state=_State.CANCELLED, reason=_NOT_AGREED, ended=Now())
