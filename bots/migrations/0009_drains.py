import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from esr_platform.schema_changes import AddConstraintNotValid, ValidateConstraint

SQLITE = """
CREATE TRIGGER IF NOT EXISTS bots_staffaction_is_kept BEFORE UPDATE ON bots_staffaction
BEGIN SELECT RAISE(ABORT, 'what staff did stays on record as it is'); END;
"""


def keep(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Create the trigger of ``0001`` again: on SQLite, each of the changes has replaced the table."""
    if editor.connection.vendor == "sqlite":
        editor.execute(SQLITE)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("bots", "0008_worker_hosts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Drain",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("host", models.CharField(max_length=255, unique=True)),
                ("reason", models.CharField(max_length=500)),
                ("since", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "ordering": ["host"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="staffaction",
            name="staff_action_is_on_a_bot_or_a_person",
        ),
        migrations.RemoveConstraint(
            model_name="workerhost",
            name="worker_host_state_is_known",
        ),
        migrations.AddField(
            model_name="staffaction",
            name="subject",
            field=models.CharField(blank=True, db_default="", default="", max_length=255),
        ),
        migrations.AlterField(
            model_name="staffaction",
            name="what",
            field=models.CharField(
                choices=[
                    ("suspended person", "Suspended the account"),
                    ("lifted person", "Lifted the suspension of the account"),
                    ("blanked person", "Removed the username"),
                    ("suspended bot", "Suspended the bot"),
                    ("lifted bot", "Lifted the suspension of the bot"),
                    ("blanked name", "Removed the name"),
                    ("blanked description", "Removed the description"),
                    ("gave role", "Changed the role"),
                    ("drained host", "Drained the host"),
                    ("resumed host", "Resumed the host"),
                    ("paused intake", "Paused"),
                    ("resumed intake", "Resumed"),
                ],
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="workerhost",
            name="state",
            field=models.CharField(
                choices=[
                    ("new", "has never asked for work"),
                    ("ready", "asks for work"),
                    ("no_sandbox", "plays only house bots, because its sandbox does not work"),
                    ("clock_off", "asks for work, but its clock is wrong"),
                    ("other_release", "gets no work, because it runs another release"),
                    ("resting", "gets no work for a minute, because it failed at several matches"),
                    ("drained", "gets no work, because an operator has drained it"),
                ],
                default="new",
                max_length=20,
            ),
        ),
        AddConstraintNotValid(
            model_name="staffaction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("bot__isnull", True), ("person__isnull", False)),
                    models.Q(("bot__isnull", False), ("person__isnull", True), ("subject", "")),
                    models.Q(("bot__isnull", True), ("person__isnull", True), models.Q(("subject", ""), _negated=True)),
                    _connector="OR",
                ),
                name="staff_action_is_on_one_thing",
            ),
        ),
        AddConstraintNotValid(
            model_name="workerhost",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["new", "ready", "no_sandbox", "clock_off", "other_release", "resting", "drained"])
                ),
                name="worker_host_state_is_known",
            ),
        ),
        migrations.AddField(
            model_name="drain",
            name="by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        ValidateConstraint(model_name="staffaction", name="staff_action_is_on_one_thing"),
        ValidateConstraint(model_name="workerhost", name="worker_host_state_is_known"),
        migrations.RunPython(keep, migrations.RunPython.noop, elidable=False),
    ]
