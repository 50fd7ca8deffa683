import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

TABLES = ("bots_staffaction", "bots_textremoval")
SQLITE = """
CREATE TRIGGER {table}_is_kept BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, 'what staff did stays on record as it is'); END;
"""
POSTGRES = """
CREATE OR REPLACE FUNCTION esr_is_kept() RETURNS trigger AS $$
BEGIN RAISE EXCEPTION 'what staff did stays on record as it is'; END $$ LANGUAGE plpgsql;
"""
POSTGRES_TRIGGER = """
CREATE TRIGGER {table}_is_kept BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION esr_is_kept();
"""


def keep(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Let the database refuse changes of what staff did, and on PostgreSQL its deletion, whoever asks for them."""
    postgres = editor.connection.vendor == "postgresql"
    if postgres:
        editor.execute(POSTGRES)
    for table in TABLES:
        editor.execute((POSTGRES_TRIGGER if postgres else SQLITE).format(table=table))


def let_go(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    postgres = editor.connection.vendor == "postgresql"
    for table in TABLES:
        editor.execute(f"DROP TRIGGER IF EXISTS {table}_is_kept" + (f" ON {table}" if postgres else ""))
    if postgres:
        editor.execute("DROP FUNCTION IF EXISTS esr_is_kept()")


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "__first__"),
    ]

    operations = [
        migrations.CreateModel(
            name="Bot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("name", models.CharField(max_length=60)),
                (
                    "kind",
                    models.CharField(
                        choices=[("hosted", "Hosted bot"), ("remote", "Remote bot"), ("person", "Human player")],
                        default="hosted",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("description", models.TextField(blank=True, max_length=2000)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bots",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("house_name", models.CharField(blank=True, editable=False, max_length=60)),
                (
                    "public_source",
                    models.BooleanField(default=False, help_text="whether everyone may download the active version"),
                ),
                ("retired", models.DateTimeField(blank=True, null=True)),
                ("paused", models.DateTimeField(blank=True, null=True)),
                ("pause_reason", models.CharField(blank=True, help_text="public reason for the pause", max_length=500)),
                (
                    "bad_in_a_row",
                    models.PositiveIntegerField(default=0, help_text="consecutive matches lost by its own failure"),
                ),
                ("suspended", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "suspension_reason",
                    models.CharField(blank=True, help_text="reason of the suspension, for the owner", max_length=500),
                ),
                (
                    "suspended_with_owner",
                    models.BooleanField(default=False, help_text="whether it is suspended only with its owner"),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["name", "pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("house_name", ""), ("owner__isnull", False)),
                            models.Q(("owner__isnull", True), models.Q(("house_name", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="bot_belongs_to_a_person_or_to_the_house",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "hosted"), models.Q(("house_name", "guest"), _negated=True)),
                            models.Q(("house_name", ""), ("kind", "remote")),
                            models.Q(("house_name__in", ["", "guest"]), ("kind", "person")),
                            _connector="OR",
                        ),
                        name="bot_kind_is_known_and_the_house_is_hosted_or_guest",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "person")), fields=("owner",), name="bot_of_a_person_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("house_name", ""), _negated=True),
                        fields=("house_name",),
                        name="bot_house_name_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("pause_reason", ""), ("paused__isnull", True)),
                            models.Q(("paused__isnull", False), models.Q(("pause_reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="bot_paused_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("suspended__isnull", True), ("suspended_with_owner", False), ("suspension_reason", "")
                            ),
                            models.Q(("suspended__isnull", False), models.Q(("suspension_reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="bot_suspended_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("house_name", ""), _negated=True),
                            models.Q(("slug__startswith", "house-"), _negated=True),
                            _connector="OR",
                        ),
                        name="bot_slugs_of_the_house_are_its_own",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="BotVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="bots.bot"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("digest", models.CharField(help_text="SHA-256 of the code, hex", max_length=64)),
                ("active", models.BooleanField(default=False, help_text="whether new matches use this version")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("received", "Queued"),
                            ("checking", "Validating"),
                            ("ready", "Validated"),
                            ("refused", "Rejected"),
                        ],
                        default="ready",
                        max_length=10,
                    ),
                ),
                (
                    "reason",
                    models.CharField(blank=True, help_text="reason of the rejection, for the owner", max_length=1000),
                ),
                (
                    "archive",
                    models.CharField(
                        blank=True, db_index=True, help_text="path in the storage ``uploads``", max_length=100
                    ),
                ),
                ("filename", models.CharField(blank=True, help_text="original file name", max_length=100)),
                ("label", models.CharField(blank=True, help_text="label of a remote bot's version", max_length=60)),
                ("size", models.PositiveIntegerField(default=0, help_text="size of the archive in bytes")),
                ("language", models.CharField(default="python", max_length=20)),
                (
                    "command",
                    models.JSONField(blank=True, default=list, help_text="the file to start and its arguments"),
                ),
                ("claims", models.JSONField(blank=True, default=dict)),
                (
                    "chosen",
                    models.CharField(blank=True, help_text="the formats, if the uploader chose them", max_length=500),
                ),
                (
                    "check_report",
                    models.JSONField(blank=True, help_text="the validation report, see bots.reports", null=True),
                ),
                (
                    "vain_starts",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="starts of the validation since the last finished game"
                    ),
                ),
                (
                    "lease",
                    models.UUIDField(blank=True, help_text="lease of the validating worker", null=True, unique=True),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("tried", models.DateTimeField(blank=True, help_text="when a worker last claimed it", null=True)),
                ("checked", models.DateTimeField(blank=True, help_text="when its validation ended", null=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["bot", "number"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["received", "checking"])),
                        fields=["created"],
                        name="version_to_be_checked",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("bot", "number"), name="version_number_once_a_bot"),
                    models.UniqueConstraint(fields=("bot", "digest", "chosen"), name="version_digest_once_a_bot"),
                    models.UniqueConstraint(
                        condition=models.Q(("active", True)), fields=("bot",), name="version_one_active_a_bot"
                    ),
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="version_counts_from_one"),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("digest"), 64),
                        name="version_digest_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("active", False), ("state", "ready"), _connector="OR"),
                        name="version_plays_only_when_ready",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["received", "checking", "ready", "refused"])),
                        name="version_state_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "refused"), models.Q(("reason", ""), _negated=True)),
                            models.Q(models.Q(("state", "refused"), _negated=True), ("reason", "")),
                            _connector="OR",
                        ),
                        name="version_refused_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("lease__isnull", True), ("lease_until__isnull", True)),
                            models.Q(("lease__isnull", False), ("lease_until__isnull", False), ("state", "checking")),
                            _connector="OR",
                        ),
                        name="version_has_a_lease_only_while_it_is_checked",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RemoteBot",
            fields=[
                (
                    "bot",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="remote",
                        serialize=False,
                        to="bots.bot",
                    ),
                ),
                ("games_at_once", models.PositiveSmallIntegerField(default=1, help_text="0 means no new games")),
                ("seen_at", models.DateTimeField(blank=True, null=True)),
                ("here_since", models.DateTimeField(blank=True, null=True)),
                ("waits_since", models.DateTimeField(blank=True, editable=False, null=True)),
                ("stream", models.UUIDField(blank=True, editable=False, null=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["bot"],
                "indexes": [models.Index(fields=["-seen_at"], name="remote_bot_seen")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("games_at_once__range", (0, 32))), name="remote_bot_plays_not_too_many"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uploads", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "bot",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="uploads",
                        to="bots.bot",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="uploads",
                        to="bots.botversion",
                    ),
                ),
                ("filename", models.CharField(blank=True, max_length=100)),
                ("size", models.PositiveIntegerField(help_text="bytes")),
                ("refusal", models.CharField(blank=True, help_text="why the upload was rejected", max_length=1000)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-created", "-pk"],
                "indexes": [models.Index(fields=["owner", "-created"], name="upload_by_owner")],
            },
        ),
        migrations.CreateModel(
            name="BotReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="bot_reports", to="bots.bot"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="bot_reports",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("text", models.CharField(blank=True, max_length=500)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("settled", models.DateTimeField(blank=True, null=True)),
                (
                    "settled_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bot_reports_settled",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("settled", None)), fields=("bot", "by"), name="bot_report_once_a_person"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TextRemoval",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="text_removals", to="bots.bot"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="text_removals",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("what", models.CharField(choices=[("name", "name"), ("description", "description")], max_length=20)),
                ("before", models.TextField()),
                ("reason", models.CharField(blank=True, help_text="for the owner", max_length=500)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-created", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="StaffAction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="staff_actions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("suspended person", "Suspended the account"),
                            ("lifted person", "Lifted the suspension of the account"),
                            ("blanked person", "Removed the username"),
                            ("suspended bot", "Suspended the bot"),
                            ("lifted bot", "Lifted the suspension of the bot"),
                            ("blanked name", "Removed the name"),
                            ("blanked description", "Removed the description"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acted_on",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "bot",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="staff_actions",
                        to="bots.bot",
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("bot__isnull", True), ("person__isnull", False)),
                            models.Q(("bot__isnull", False), ("person__isnull", True)),
                            _connector="OR",
                        ),
                        name="staff_action_is_on_a_bot_or_a_person",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Machine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("host", models.CharField(max_length=255, unique=True)),
                ("sandbox", models.JSONField()),
                ("told", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "ordering": ["host"],
            },
        ),
        migrations.RunPython(keep, let_go),
    ]
