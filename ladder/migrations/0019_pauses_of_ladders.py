import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from esr_platform.schema_changes import AddConstraintNotValid, ValidateConstraint

SQLITE = """
CREATE TRIGGER IF NOT EXISTS ladder_intervention_is_kept BEFORE UPDATE ON ladder_intervention
BEGIN SELECT RAISE(ABORT, 'what staff did stays on record as it is'); END;
"""


def keep(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Create the trigger of ``0001`` again: on SQLite, each of the changes has replaced the table."""
    if editor.connection.vendor == "sqlite":
        editor.execute(SQLITE)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("ladder", "0018_returned_attempts_and_rechecks"),
    ]

    operations = [
        migrations.AddField(
            model_name="intervention",
            name="ladder",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="interventions",
                to="ladder.ladder",
            ),
        ),
        migrations.AddField(
            model_name="ladder",
            name="pause_reason",
            field=models.CharField(blank=True, db_default="", default="", help_text="public", max_length=500),
        ),
        migrations.AddField(
            model_name="ladder",
            name="paused",
            field=models.DateTimeField(blank=True, help_text="no match begins since", null=True),
        ),
        migrations.AlterField(
            model_name="intervention",
            name="action",
            field=models.CharField(
                choices=[
                    ("cancelled", "canceled before it started"),
                    ("voided", "voided without a result"),
                    ("taken back", "voided its result"),
                    ("requeued", "queued again"),
                    ("paused", "paused the ladder"),
                    ("resumed", "resumed the ladder"),
                    ("removed title", "removed the title"),
                    ("removed about", "removed the description"),
                    ("removed reason", "removed a reason"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="intervention",
            constraint=models.UniqueConstraint(
                condition=models.Q(("action", "requeued"), _negated=True),
                fields=("match",),
                name="intervention_ends_a_match_once",
            ),
        ),
        migrations.RemoveConstraint(
            model_name="intervention",
            name="intervention_once_a_match",
        ),
        migrations.RemoveConstraint(
            model_name="intervention",
            name="intervention_is_on_a_match_or_a_cup",
        ),
        AddConstraintNotValid(
            model_name="intervention",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("before", ""),
                        ("cup", None),
                        ("ladder", None),
                        ("match__isnull", False),
                        ("action__in", ["cancelled", "voided", "taken back", "requeued"]),
                    ),
                    models.Q(
                        ("action__in", ["paused", "resumed"]),
                        ("before", ""),
                        ("cup", None),
                        ("ladder__isnull", False),
                        ("match", None),
                    ),
                    models.Q(
                        ("cup__isnull", False),
                        ("ladder", None),
                        ("match", None),
                        ("action__in", ["removed title", "removed about", "removed reason"]),
                        models.Q(("before", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="intervention_is_on_one_thing",
            ),
        ),
        AddConstraintNotValid(
            model_name="ladder",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("pause_reason", ""), ("paused__isnull", True)),
                    models.Q(("paused__isnull", False), models.Q(("pause_reason", ""), _negated=True)),
                    _connector="OR",
                ),
                name="ladder_paused_says_why",
            ),
        ),
        ValidateConstraint(model_name="intervention", name="intervention_is_on_one_thing"),
        ValidateConstraint(model_name="ladder", name="ladder_paused_says_why"),
        migrations.RunPython(keep, migrations.RunPython.noop, elidable=False),
    ]
