"""Every table of a cup plays deals of its own: its blocks are numbered, and no deals are shared."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import Q, Window
from django.db.models.functions import RowNumber


def number_blocks(apps: Any, _editor: object) -> None:
    """Number the blocks of every table in the order in which they were scheduled."""
    Block = apps.get_model("ladder", "Block")
    place = Window(RowNumber(), partition_by="cup_table", order_by="pk")
    blocks = list(Block.objects.filter(purpose="cup").annotate(place=place).only("pk"))
    for block in blocks:
        block.number = block.place
    Block.objects.bulk_update(blocks, ["number"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0003_exhibition_ended_by")]

    operations = [
        migrations.RemoveConstraint("block", "block_is_numbered_in_a_series_unless_early"),
        migrations.RemoveConstraint("block", "block_of_a_cup_has_its_table_and_deal"),
        migrations.RemoveConstraint("block", "block_once_a_table_and_deal"),
        migrations.AlterField(
            "block",
            "number",
            models.PositiveBigIntegerField(
                blank=True, help_text="from 1, without gaps in the series or at the table", null=True
            ),
        ),
        migrations.RunPython(number_blocks, elidable=True),
        migrations.RemoveField("block", "cup_deal"),
        migrations.RemoveField("cup", "next_deal"),
        migrations.DeleteModel("CupDeal"),
        migrations.AddConstraint(
            "block",
            models.CheckConstraint(
                condition=Q(("number", None), ("purpose", "early"), ("series", None))
                | Q(("number__gte", 1), ("number__isnull", False), ("purpose", "cup"), ("series", None))
                | (
                    Q(("purpose__in", ["early", "cup"]), _negated=True)
                    & Q(("number__gte", 1), ("number__isnull", False), ("series__isnull", False))
                ),
                name="block_is_numbered_in_a_series_unless_early",
            ),
        ),
        migrations.AddConstraint(
            "block",
            models.CheckConstraint(
                condition=Q(("cup_table__isnull", False), ("purpose", "cup"))
                | Q(Q(("purpose", "cup"), _negated=True), ("cup_table", None)),
                name="block_of_a_cup_has_its_table",
            ),
        ),
        migrations.AddConstraint(
            "block", models.UniqueConstraint(fields=("cup_table", "number"), name="block_number_once_a_table")
        ),
    ]
