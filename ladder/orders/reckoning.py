"""What an order's blocks have brought: mean scores with intervals, and how a comparison stands.

A block counts when every one of its games is finished: a void or cancelled game takes its whole deal out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from django.db.models import Exists, OuterRef

from bots.models import BotVersion
from ladder.models import Block, Match, Order, OrderPlayer, SeatResult
from ladder.ratings.means import Mean, mean_of
from ladder.ratings.scores import beaten
from ladder.ratings.sprt import Hypotheses, Walk, walk


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
    for block, ended in Block.objects.filter(order=order).order_by("pk").values_list("pk", "ended"):
        if ended is None:
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
