"""Who has beaten whom: what bots have reached against each other in a season's blocks that are over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from esr_platform.api.reading.documents import PairDocument
from esr_platform.api.reading.parameters import Number, Text
from esr_platform.api.reading.views import Listing, Order
from ladder.access import ladder_seen_by
from ladder.models import PairTally, Season
from ladder.statistics.pair_share import pair_share

_PAIR: Final = (
    *("entry__bot__slug", "opponent__bot__slug", "games", "blocks", "share_sum", "share_squares"),
    *("bought", "paid", "sold", "received"),
)
_PAIRS: Final = PairTally.objects.values("pk", *_PAIR)


class HeadToHead(Listing):
    """Results of bots against each other, each pair from both sides."""

    document = PairDocument
    always = ("bot", "opponent")
    orders = {
        "id": Order("pk"),
        "-games": Order("games", falling=True),
        "games": Order("games"),
    }
    parameters = (
        Text("ladder", "the ladder on which they met", required=True, example="edel-stein-reich-4"),
        Text("bot", "only results of this bot", example="house-greedy"),
        Text("opponent", "only results against this bot", example="house-random"),
        Number("season", "of the season with this number; without it, of the newest", least=1),
    )

    @extend_schema(operation_id="head_to_head", summary="Results of bots against each other")
    def get(self, _request: Request) -> Response:
        ladder = ladder_seen_by(self.viewer, self.asked["ladder"])
        seasons = Season.objects.filter(ladder=ladder).order_by("-number")
        if self.asked["season"]:
            seasons = seasons.filter(number=self.asked["season"])
        rows = _PAIRS.filter(season=seasons.values("pk")[:1])
        for name, field in (("bot", "entry__bot__slug"), ("opponent", "opponent__bot__slug")):
            if self.asked[name]:
                rows = rows.filter(**{field: self.asked[name]})
        part = self.part(rows)
        return self.answer(part, [_document(row) for row in part])


def _document(row: Mapping[str, Any]) -> dict[str, Any]:
    share = asdict(pair_share(row["blocks"], row["share_sum"], row["share_squares"]))
    return {
        "bot": row["entry__bot__slug"],
        "opponent": row["opponent__bot__slug"],
        "share": {name: share[name] for name in ("value", "low", "high")},
        **{name: row[name] for name in ("games", "blocks", "bought", "paid", "sold", "received")},
    }
