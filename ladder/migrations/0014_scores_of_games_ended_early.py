"""Remove the scores of games that ended early, because default moves made them."""

from __future__ import annotations

import logging
from typing import Any

from django.db import migrations, models
from django.db.models import Count, Q

from games.outcomes import shown_outcome
from games.record import replay
from ladder.packing import unpack

logger = logging.getLogger(__name__)


def take_back(apps: Any, _schema: Any) -> None:
    results, seats = apps.get_model("ladder", "Result"), apps.get_model("ladder", "SeatResult")
    stay = Count("seat_results", filter=Q(seat_results__forfeit=""))
    for result in results.objects.annotate(stay=stay).filter(stay__lte=1).only("match", "packed_record").iterator(100):
        try:
            record = unpack(bytes(result.packed_record))
            outcome = shown_outcome(replay(record))
        except ValueError as error:  # RecordError among them: one damaged record must not hold up the site
            logger.warning("the record of match %s cannot be read, its scores stay: %s", result.match_id, error)
            continue
        if outcome is None or outcome == record["outcome"]:
            continue
        for index, score in enumerate(outcome["scores"]):
            seats.objects.filter(result=result, seat__index=index).update(score=score)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0013_outages")]

    operations = [
        migrations.AlterField(
            model_name="seatresult",
            name="score",
            field=models.JSONField(
                help_text="the game's own score object; without numbers if the game ended early",
            ),
        ),
        migrations.RunPython(take_back, migrations.RunPython.noop),
    ]
