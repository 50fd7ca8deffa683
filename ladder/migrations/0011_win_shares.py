from typing import Any

from django.db import migrations, models


def rename_totals(old: str, new: str) -> Any:
    """Rename the key of the sums by seat in stored documents of season statistics."""

    def rename(apps: Any, _schema_editor: Any) -> None:
        for statistics in apps.get_model("ladder", "SeasonStatistics").objects.exclude(document={}).iterator():
            totals = statistics.document.get("totals", [])
            for total in totals:
                if old in total:
                    total[new] = total.pop(old)
            if totals:
                statistics.save(update_fields=["document"])

    return rename


class Migration(migrations.Migration):
    dependencies = [
        ("ladder", "0010_live_seat_lease"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="membership", name="membership_wins_at_most_its_games"),
        migrations.RenameField(model_name="membership", old_name="wins", new_name="win_shares"),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(("win_shares__lte", models.F("games") * 60)),
                name="membership_wins_at_most_its_games",
            ),
        ),
        migrations.RenameField(model_name="seattally", old_name="wins", new_name="win_shares"),
        migrations.RenameField(model_name="finalstanding", old_name="wins", new_name="win_shares"),
        migrations.AlterField(
            model_name="finalstanding",
            name="win_shares",
            field=models.PositiveBigIntegerField(help_text="in 1/60 of a win"),
        ),
        migrations.AlterField(
            model_name="finalstanding",
            name="season",
            field=models.ForeignKey(on_delete=models.PROTECT, related_name="final_standings", to="ladder.season"),
        ),
        migrations.RunPython(rename_totals("wins", "win_shares"), rename_totals("win_shares", "wins"), elidable=True),
    ]
