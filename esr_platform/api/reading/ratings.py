"""Ratings over time: what every rated game of a bot did to its rating."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import F
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from esr_platform.api.reading.documents import RatingDocument
from esr_platform.api.reading.naming import NAMED
from esr_platform.api.reading.parameters import Number, Text
from esr_platform.api.reading.views import Listing, Order
from ladder.access import bot_seen_by, ladder_seen_by
from ladder.models import LedgerEntry, SeatResult
from ladder.ratings.elo import points

_LEDGER: Final = "result__ledger_entries__"
_RATING: Final = ("rank", "rating_before", "rating_after", "seat__version__number", "result__match")


class Ratings(Listing):
    """What every rated game of a bot on a ladder did to its rating, in the order in which games counted."""

    document = RatingDocument
    always = ("number",)
    orders = {"number": Order("number"), "-number": Order("number", falling=True)}
    parameters = (
        Text("ladder", "the ladder that it is rated on", required=True, example="edel-stein-reich-4"),
        Number("season", "only games of the season with this number", least=1),
    )

    @extend_schema(operation_id="ratings", summary="Ratings of a bot over time")
    def get(self, _request: Request, slug: str) -> Response:
        bot, ladder = bot_seen_by(self.viewer, slug, NAMED), ladder_seen_by(self.viewer, self.asked["ladder"])
        counted = {f"{_LEDGER}kind": LedgerEntry.Kind.RESULT}  # all of one filter, or each would be of another entry
        if self.asked["season"]:
            counted[f"{_LEDGER}season__number"] = self.asked["season"]
        entry = bot.entries.filter(ladder=ladder).values("pk")
        rows = SeatResult.objects.filter(**counted, seat__entry__in=entry, rating_after__isnull=False)
        of_ledger = {"season": F(f"{_LEDGER}season__number"), "counted": F(f"{_LEDGER}created")}
        part = self.part(rows.annotate(number=F(f"{_LEDGER}number")).values("pk", "number", *_RATING, **of_ledger))
        return self.answer(part, [_document(row) for row in part])


def _document(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "number": row["number"],
        "match": row["result__match"],
        "season": row["season"],
        "version": row["seat__version__number"],
        "rank": row["rank"],
        "before": points(row["rating_before"]),
        "after": points(row["rating_after"]),
        "counted": row["counted"],
    }
