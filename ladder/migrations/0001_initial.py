import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SQLITE = """
CREATE TRIGGER ladder_intervention_is_kept BEFORE UPDATE ON ladder_intervention
BEGIN SELECT RAISE(ABORT, 'what staff did stays on record as it is'); END;
"""
POSTGRES = """
CREATE TRIGGER ladder_intervention_is_kept BEFORE UPDATE OR DELETE ON ladder_intervention
FOR EACH ROW EXECUTE FUNCTION esr_is_kept();
"""


def keep(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Let the database refuse changes to staff interventions, as ``bots.0001`` does for bots and people."""
    editor.execute(POSTGRES if editor.connection.vendor == "postgresql" else SQLITE)


def let_go(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    table = " ON ladder_intervention" if editor.connection.vendor == "postgresql" else ""
    editor.execute(f"DROP TRIGGER IF EXISTS ladder_intervention_is_kept{table}")


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "__first__"),
        ("bots", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Ladder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("name", models.CharField(max_length=80)),
                (
                    "players",
                    models.CharField(
                        choices=[
                            ("hosted", "hosted bots"),
                            ("remote", "remote bots"),
                            ("open", "everyone"),
                            ("people", "people"),
                        ],
                        default="hosted",
                        max_length=10,
                    ),
                ),
                ("game", models.CharField(help_text="a slug of games.registry.GAMES", max_length=60)),
                ("seats", models.PositiveSmallIntegerField()),
                (
                    "limits",
                    models.JSONField(
                        blank=True, default=dict, help_text="bots.runner.spec.Limits that differ from the default"
                    ),
                ),
                (
                    "weight",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="share of the workers, relative to other ladders"
                    ),
                ),
                ("open", models.BooleanField(default=True, help_text="whether new matches are scheduled")),
                (
                    "by_invitation",
                    models.BooleanField(default=False, help_text="whether only bots of members can join"),
                ),
                (
                    "private",
                    models.BooleanField(default=False, help_text="whether only members and site staff can see it"),
                ),
                ("invitation", models.CharField(blank=True, help_text="secret part of the join link", max_length=43)),
                (
                    "freezes_at",
                    models.DateTimeField(blank=True, help_text="time at which versions are frozen", null=True),
                ),
                (
                    "opened_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("next_ledger", models.PositiveBigIntegerField(default=1, editable=False)),
                (
                    "ledger_head",
                    models.CharField(
                        default="0000000000000000000000000000000000000000000000000000000000000000",
                        editable=False,
                        help_text="hash of the last entry",
                        max_length=64,
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("private", False), ("by_invitation", True), _connector="OR"),
                        name="ladder_private_is_by_invitation",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("invitation", ""), _negated=True),
                        fields=("invitation",),
                        name="ladder_invitation_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("players__in", ["hosted", "remote", "open", "people"])),
                        name="ladder_players_are_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("seats__range", (2, 5))), name="ladder_has_two_to_five_seats"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("next_ledger__gte", 1)), name="ladder_ledger_counts_from_one"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="ladder.ladder"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["ladder", "pk"],
                "constraints": [models.UniqueConstraint(fields=("ladder", "person"), name="invitation_once_a_person")],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="memberships", to="ladder.ladder"
                    ),
                ),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="memberships", to="bots.bot"
                    ),
                ),
                ("rating", models.BigIntegerField(default=1500000)),
                ("last_change", models.BigIntegerField(default=0)),
                ("games", models.PositiveIntegerField(default=0)),
                ("wins", models.PositiveBigIntegerField(default=0)),
                ("active", models.BooleanField(default=True, help_text="whether the bot gets new matches")),
                ("declined", models.BooleanField(default=False, help_text="whether the owner declined matches")),
                (
                    "frozen",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="frozen_in",
                        to="bots.botversion",
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["ladder", "-rating", "pk"],
                "indexes": [models.Index(fields=["ladder", "-rating"], name="membership_by_rating")],
                "constraints": [
                    models.UniqueConstraint(fields=("ladder", "bot"), name="membership_once_a_bot_and_ladder"),
                    models.CheckConstraint(
                        condition=models.Q(("active", True), ("declined", True), _negated=True),
                        name="membership_declined_is_not_active",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "wins__lte",
                                django.db.models.expressions.CombinedExpression(
                                    models.F("games"), "*", models.Value(60)
                                ),
                            )
                        ),
                        name="membership_wins_at_most_its_games",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Cup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("title", models.CharField(max_length=60)),
                ("about", models.CharField(blank=True, max_length=1000)),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="cups", to="ladder.ladder"
                    ),
                ),
                (
                    "format",
                    models.CharField(
                        choices=[
                            ("swiss", "Swiss"),
                            ("round-robin", "Round robin"),
                            ("knockout", "Knockout"),
                            ("halving", "Successive halving"),
                        ],
                        max_length=12,
                    ),
                ),
                ("blocks", models.PositiveSmallIntegerField(default=1)),
                ("rounds", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("capacity", models.PositiveSmallIntegerField()),
                ("entries_per_user", models.PositiveSmallIntegerField(default=1)),
                (
                    "at_a_table",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="entries of one owner at a table, if avoidable"
                    ),
                ),
                (
                    "listed",
                    models.BooleanField(
                        default=True, help_text="whether it is in the list; else only its link leads to it"
                    ),
                ),
                (
                    "organizer",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="cups",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("closes_at", models.DateTimeField(help_text="end of the registration, when versions freeze")),
                ("starts_at", models.DateTimeField()),
                (
                    "time_zone",
                    models.CharField(default="UTC", help_text="of the organizer, for display", max_length=40),
                ),
                (
                    "repeat_days",
                    models.PositiveSmallIntegerField(blank=True, help_text="days until the next such cup", null=True),
                ),
                (
                    "previous",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="next",
                        to="ladder.cup",
                    ),
                ),
                (
                    "reserved_percent",
                    models.PositiveSmallIntegerField(
                        blank=True, help_text="share of the workers that site admins have reserved for it", null=True
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("registration", "Registration"),
                            ("ready", "Ready"),
                            ("running", "Running"),
                            ("finished", "Finished"),
                            ("cancelled", "Canceled"),
                        ],
                        default="registration",
                        max_length=12,
                    ),
                ),
                (
                    "paused",
                    models.BooleanField(
                        default=False, help_text="whether the organizer has paused it: no round begins"
                    ),
                ),
                ("reason", models.CharField(blank=True, help_text="why it was canceled", max_length=500)),
                ("key", models.BinaryField(max_length=32)),
                ("key_hash", models.CharField(max_length=64)),
                ("entrants_hash", models.CharField(blank=True, max_length=64)),
                ("next_deal", models.PositiveIntegerField(default=1, editable=False)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("ended", models.DateTimeField(blank=True, null=True)),
                (
                    "co_organizers",
                    models.ManyToManyField(blank=True, related_name="cups_helped", to=settings.AUTH_USER_MODEL),
                ),
            ],
            options={
                "ordering": ["-starts_at", "-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["registration", "ready", "running"])),
                        fields=["state", "closes_at"],
                        name="cup_open",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("format__in", ["swiss", "round-robin", "knockout", "halving"])),
                        name="cup_format_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended", None), ("state__in", ["registration", "ready", "running"])),
                            models.Q(("ended__isnull", False), ("state__in", ["finished", "cancelled"])),
                            _connector="OR",
                        ),
                        name="cup_has_an_end_when_it_has_ended",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "cancelled"), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="cup_cancelled_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("format", "swiss"), ("rounds__gte", 1), ("rounds__isnull", False)),
                            models.Q(models.Q(("format", "swiss"), _negated=True), ("rounds", None)),
                            _connector="OR",
                        ),
                        name="cup_rounds_are_of_swiss",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("starts_at__gte", models.F("closes_at"))),
                        name="cup_starts_after_registration",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["registration", "cancelled"]),
                            models.Q(("entrants_hash", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="cup_has_entrants_when_it_is_frozen",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reserved_percent", None), ("reserved_percent__range", (1, 90)), _connector="OR"
                        ),
                        name="cup_reservation_leaves_workers_to_others",
                    ),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("key"), 32),
                        name="cup_key_has_32_bytes",
                    ),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(
                            django.db.models.functions.text.Length("key_hash"), 64
                        ),
                        name="cup_key_hash_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("at_a_table__gte", 1),
                            ("blocks__gte", 1),
                            ("capacity__gte", 2),
                            ("entries_per_user__gte", 1),
                        ),
                        name="cup_plays_blocks",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CupEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "cup",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="entries", to="ladder.cup"
                    ),
                ),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="cup_entries", to="bots.bot"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cup_entries",
                        to="bots.botversion",
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("rank", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("entered", "Entered"),
                            ("rejected", "Rejected at the deadline"),
                            ("withdrawn", "Withdrawn"),
                            ("disqualified", "Disqualified"),
                        ],
                        default="entered",
                        max_length=12,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name_plural": "cup entries",
                "ordering": ["cup", "number", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("cup", "bot"), name="cup_entry_once_a_bot"),
                    models.UniqueConstraint(fields=("cup", "number"), name="cup_entry_number_once"),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["entered", "rejected", "withdrawn", "disqualified"])),
                        name="cup_entry_state_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("number", None), ("version", None)),
                            models.Q(("number__isnull", False), ("version__isnull", False)),
                            _connector="OR",
                        ),
                        name="cup_entry_is_frozen_with_its_version",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "rejected"), _negated=True),
                            models.Q(("number", None), models.Q(("reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="cup_entry_rejected_has_no_number",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("rank", None), models.Q(("number__isnull", False), ("rank__gte", 1)), _connector="OR"
                        ),
                        name="cup_entry_is_ranked_from_the_list",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CupRound",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "cup",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="played_rounds", to="ladder.cup"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="from 1")),
                ("byes", models.JSONField(default=list, help_text="numbers of the entrants with a bye")),
                ("started", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "ended",
                    models.DateTimeField(blank=True, help_text="when its deals and replays became public", null=True),
                ),
            ],
            options={
                "ordering": ["cup", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("cup", "number"), name="cup_round_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("ended", None)), fields=("cup",), name="cup_round_one_at_a_time"
                    ),
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="cup_round_counts_from_one"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CupTable",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="tables", to="ladder.cupround"
                    ),
                ),
                ("index", models.PositiveSmallIntegerField(help_text="from 0")),
                ("entrants", models.JSONField(help_text="numbers of the entrants")),
                ("points", models.JSONField(blank=True, help_text="points by entrant, over all games", null=True)),
                (
                    "gone",
                    models.JSONField(
                        blank=True, default=list, help_text="places of entrants who had left when it was decided"
                    ),
                ),
                ("decided", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ["round", "index"],
                "constraints": [
                    models.UniqueConstraint(fields=("round", "index"), name="cup_table_once"),
                    models.CheckConstraint(
                        condition=models.Q(("decided", True), ("points", None), _connector="OR"),
                        name="cup_table_has_points_when_decided",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CupDeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "cup",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="deals", to="ladder.cup"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="from 1, without gaps")),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="deals", to="ladder.cupround"
                    ),
                ),
                ("seed", models.BinaryField(max_length=32)),
                ("commitment", models.CharField(max_length=64, unique=True)),
            ],
            options={
                "ordering": ["cup", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("cup", "number"), name="cup_deal_once"),
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="cup_deal_counts_from_one"),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("seed"), 32),
                        name="cup_deal_seed_has_32_bytes",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CupLedgerEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "cup",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="ledger", to="ladder.cup"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="from 1, without gaps")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("entrants", "Frozen entrant list"),
                            ("round", "Start of a round"),
                            ("results", "Results of a round"),
                            ("ruling", "Ruling"),
                            ("left", "Entrant left"),
                            ("paused", "Paused"),
                            ("resumed", "Resumed"),
                            ("changed", "Settings changed"),
                            ("cancelled", "Canceled"),
                            ("end", "End"),
                        ],
                        max_length=10,
                    ),
                ),
                ("document", models.JSONField()),
                ("hash", models.CharField(max_length=64)),
                ("reason", models.CharField(blank=True, max_length=500, null=True)),
                ("salt", models.CharField(blank=True, help_text="16 bytes in hex", max_length=32, null=True)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "verbose_name_plural": "cup ledger entries",
                "ordering": ["cup", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("cup", "number"), name="cup_ledger_number_once"),
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="cup_ledger_counts_from_one"),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                [
                                    "entrants",
                                    "round",
                                    "results",
                                    "ruling",
                                    "left",
                                    "paused",
                                    "resumed",
                                    "changed",
                                    "cancelled",
                                    "end",
                                ],
                            )
                        ),
                        name="cup_ledger_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("hash"), 64),
                        name="cup_ledger_hash_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("reason", None), ("salt", None)),
                            models.Q(
                                ("reason__isnull", False),
                                ("salt__isnull", False),
                                models.Q(("reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="cup_ledger_reason_has_a_salt",
                    ),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("salt"), 32),
                        name="cup_ledger_salt_has_16_bytes",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CupForecast",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "cup",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="forecasts", to="ladder.cup"
                    ),
                ),
                ("rounds", models.PositiveSmallIntegerField(help_text="rounds that had ended")),
                ("basis", models.CharField(max_length=64)),
                ("chances", models.JSONField(default=list)),
                ("best", models.FloatField(blank=True, null=True)),
                ("simulations", models.PositiveIntegerField(default=0)),
                ("tables", models.JSONField(default=list)),
                ("round_s", models.JSONField(blank=True, null=True)),
                ("full_s", models.FloatField(blank=True, null=True)),
                ("computed", models.DateTimeField()),
            ],
            options={
                "ordering": ["cup", "rounds"],
                "constraints": [
                    models.UniqueConstraint(fields=("cup", "rounds"), name="cup_forecast_once_a_round"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("best", None), ("simulations", 0)),
                            models.Q(("best__gte", 0), ("best__lte", 1), ("simulations__gte", 1)),
                            _connector="OR",
                        ),
                        name="cup_forecast_states_a_chance",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CupReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "cup",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reports", to="ladder.cup"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cup_reports",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("text", models.CharField(max_length=500)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "settled_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("settled_at", None)), fields=("cup", "by"), name="cup_report_once_a_person"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("settled_by", None), ("settled_at__isnull", False), _connector="OR"),
                        name="cup_report_settled_by_somebody_is_settled",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Exhibition",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("test", "Test match"),
                            ("challenge", "Challenge"),
                            ("comparison", "Version comparison"),
                            ("scheduled", "Scheduled match"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="exhibitions", to="ladder.ladder"
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exhibitions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("token", models.UUIDField(help_text="token of the form, against double submission", unique=True)),
                ("blocks_wanted", models.PositiveIntegerField()),
                ("games_wanted", models.PositiveIntegerField(help_text="in all blocks, for the daily limit")),
                ("rotated", models.BooleanField(default=True)),
                ("margin", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("verdict", models.CharField(blank=True, max_length=10)),
                ("due_at", models.DateTimeField(blank=True, help_text="start time of a scheduled match", null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("invited", "Waiting for answers"),
                            ("planned", "Scheduled"),
                            ("running", "Running"),
                            ("finished", "Finished"),
                            ("cancelled", "Canceled"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "reason",
                    models.CharField(blank=True, help_text="why it was canceled or ended early", max_length=500),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("ended", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["invited", "planned", "running"])),
                        fields=["state", "due_at"],
                        name="exhibition_open",
                    ),
                    models.Index(fields=["requested_by", "-created"], name="exhibition_by_person"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["test", "challenge", "comparison", "scheduled"])),
                        name="exhibition_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended", None), ("state__in", ["invited", "planned", "running"])),
                            models.Q(("ended__isnull", False), ("state__in", ["finished", "cancelled"])),
                            _connector="OR",
                        ),
                        name="exhibition_has_an_end_when_it_has_ended",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "cancelled"), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="exhibition_cancelled_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("due_at", None),
                                ("kind", "comparison"),
                                ("margin__isnull", False),
                                ("margin__range", (1, 999)),
                            ),
                            models.Q(
                                ("due_at__isnull", False), ("kind", "scheduled"), ("margin", None), ("verdict", "")
                            ),
                            models.Q(
                                ("due_at", None), ("kind__in", ["test", "challenge"]), ("margin", None), ("verdict", "")
                            ),
                            _connector="OR",
                        ),
                        name="exhibition_of_its_kind",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("blocks_wanted__gte", 1), ("games_wanted__gte", 1)),
                        name="exhibition_wants_blocks",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ExhibitionPlayer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "exhibition",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="players", to="ladder.exhibition"
                    ),
                ),
                (
                    "part",
                    models.CharField(
                        choices=[
                            ("seat", "Seat"),
                            ("candidate", "Candidate"),
                            ("baseline", "Baseline"),
                            ("gauntlet", "Gauntlet"),
                        ],
                        max_length=10,
                    ),
                ),
                ("index", models.PositiveSmallIntegerField()),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="ordered", to="bots.botversion"
                    ),
                ),
            ],
            options={
                "ordering": ["exhibition", "part", "index"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("exhibition", "part", "index"), name="exhibition_player_once_a_place"
                    ),
                    models.UniqueConstraint(fields=("exhibition", "version"), name="exhibition_player_once_a_version"),
                    models.CheckConstraint(
                        condition=models.Q(("part__in", ["seat", "candidate", "baseline", "gauntlet"])),
                        name="exhibition_player_part_is_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Agreement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "exhibition",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="agreements", to="ladder.exhibition"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="agreements",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("agreed", models.BooleanField(blank=True, null=True)),
                ("answered", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["exhibition", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("exhibition", "person"), name="agreement_once_a_person"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("agreed", None), ("answered", None)),
                            models.Q(("agreed__isnull", False), ("answered__isnull", False)),
                            _connector="OR",
                        ),
                        name="agreement_has_a_time_when_it_is_answered",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Season",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seasons", to="ladder.ladder"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="from 1, without gaps")),
                ("opened", models.DateTimeField(auto_now_add=True)),
                ("closes_at", models.DateTimeField(blank=True, null=True)),
                (
                    "closed_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="site admin who closed the season or set its end",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("closing", models.DateTimeField(blank=True, null=True)),
                ("closed", models.DateTimeField(blank=True, null=True)),
                ("next_num", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("next_den", models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ["ladder", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("ladder", "number"), name="season_number_once_a_ladder"),
                    models.UniqueConstraint(
                        condition=models.Q(("closed", None)), fields=("ladder",), name="season_one_open_a_ladder"
                    ),
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="season_counts_from_one"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("closed", None), models.Q(("closing", None), _negated=True), _connector="OR"
                        ),
                        name="season_closes_before_it_is_closed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("next_den", None), ("next_num", None)),
                            models.Q(
                                ("next_den__gte", 1),
                                ("next_den__isnull", False),
                                ("next_num__isnull", False),
                                ("next_num__lte", models.F("next_den")),
                            ),
                            _connector="OR",
                        ),
                        name="season_keeps_a_fraction",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DealSeries",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="series", to="ladder.season"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("ladder", "rated blocks"), ("test", "exhibition matches"), ("live", "live games")],
                        max_length=10,
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="hashed name: the ladder's slug, test-<slug> or live-<slug>", max_length=70
                    ),
                ),
                ("key", models.BinaryField(max_length=32)),
                ("key_hash", models.CharField(max_length=64)),
                ("next_number", models.PositiveBigIntegerField(default=1, editable=False)),
                ("published", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name_plural": "deal series",
                "ordering": ["season", "kind"],
                "constraints": [
                    models.UniqueConstraint(fields=("season", "kind"), name="deal_series_one_of_a_kind"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["ladder", "test", "live"])), name="deal_series_kind_is_known"
                    ),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("key"), 32),
                        name="deal_series_key_has_32_bytes",
                    ),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(
                            django.db.models.functions.text.Length("key_hash"), 64
                        ),
                        name="deal_series_key_hash_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("next_number__gte", 1)), name="deal_series_counts_from_one"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FinalStanding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="final_table", to="ladder.season"
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="final_standings",
                        to="ladder.membership",
                    ),
                ),
                ("rank", models.PositiveIntegerField(help_text="competition rank by rating")),
                ("rating", models.BigIntegerField(help_text="in 1/1000 point")),
                ("games", models.PositiveIntegerField()),
                ("wins", models.PositiveBigIntegerField(help_text="in 1/60")),
            ],
            options={
                "ordering": ["season", "rank", "membership"],
                "constraints": [
                    models.UniqueConstraint(fields=("season", "membership"), name="final_standing_once_a_membership")
                ],
            },
        ),
        migrations.CreateModel(
            name="Block",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="blocks", to="ladder.ladder"
                    ),
                ),
                (
                    "series",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="blocks",
                        to="ladder.dealseries",
                    ),
                ),
                (
                    "number",
                    models.PositiveBigIntegerField(
                        blank=True, help_text="from 1, without gaps in the series", null=True
                    ),
                ),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("ladder", "rated"),
                            ("test", "test"),
                            ("challenge", "challenge"),
                            ("comparison", "comparison of versions"),
                            ("scheduled", "scheduled match"),
                            ("cup", "cup"),
                            ("live", "rated live game"),
                            ("casual", "casual live game"),
                            ("early", "rated, from before the first season"),
                        ],
                        default="ladder",
                        max_length=10,
                    ),
                ),
                (
                    "exhibition",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="blocks",
                        to="ladder.exhibition",
                    ),
                ),
                (
                    "cup_table",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="blocks",
                        to="ladder.cuptable",
                    ),
                ),
                (
                    "cup_deal",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="blocks",
                        to="ladder.cupdeal",
                    ),
                ),
                ("seed", models.BinaryField(max_length=32)),
                (
                    "commitment",
                    models.CharField(help_text="SHA-256 of the seed, hex, public from the start", max_length=64),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("ended", models.DateTimeField(blank=True, help_text="time at which the last game ended", null=True)),
                ("gathered", models.BooleanField(default=False, help_text="whether the season statistics include it")),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(condition=models.Q(("ended", None)), fields=["ladder"], name="block_open"),
                    models.Index(
                        condition=models.Q(
                            ("ended__isnull", False), ("gathered", False), ("purpose__in", ["ladder", "live"])
                        ),
                        fields=["series", "id"],
                        name="block_to_gather",
                    ),
                    models.Index(fields=["ladder", "purpose", "-id"], name="block_by_ladder_and_purpose"),
                    models.Index(
                        condition=models.Q(("ended__isnull", False)), fields=["ladder", "ended"], name="block_by_end"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("series", "number"), name="block_number_once_a_series"),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "purpose__in",
                                [
                                    "ladder",
                                    "test",
                                    "challenge",
                                    "comparison",
                                    "scheduled",
                                    "cup",
                                    "live",
                                    "casual",
                                    "early",
                                ],
                            )
                        ),
                        name="block_purpose_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("number", None), ("purpose__in", ["early", "cup"]), ("series", None)),
                            models.Q(
                                models.Q(("purpose__in", ["early", "cup"]), _negated=True),
                                ("number__gte", 1),
                                ("number__isnull", False),
                                ("series__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="block_is_numbered_in_a_series_unless_early",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("cup_deal__isnull", False), ("cup_table__isnull", False), ("purpose", "cup")),
                            models.Q(
                                models.Q(("purpose", "cup"), _negated=True), ("cup_deal", None), ("cup_table", None)
                            ),
                            _connector="OR",
                        ),
                        name="block_of_a_cup_has_its_table_and_deal",
                    ),
                    models.UniqueConstraint(fields=("cup_table", "cup_deal"), name="block_once_a_table_and_deal"),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("seed"), 32),
                        name="block_seed_has_32_bytes",
                    ),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(
                            django.db.models.functions.text.Length("commitment"), 64
                        ),
                        name="block_commitment_is_sha256",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Match",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="matches", to="ladder.ladder"
                    ),
                ),
                (
                    "block",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="matches", to="ladder.block"
                    ),
                ),
                ("seating", models.PositiveSmallIntegerField(default=0)),
                (
                    "lineup",
                    models.PositiveSmallIntegerField(default=0, help_text="0 or 1 in a version comparison, else 0"),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("finished", "Finished"),
                            ("void", "Void"),
                            ("cancelled", "Cancelled"),
                            ("aborted", "Aborted"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("priority", models.SmallIntegerField(default=0, help_text="higher runs first")),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), help_text="earliest start"
                    ),
                ),
                (
                    "sent_at",
                    models.DateTimeField(blank=True, help_text="time of the last message to a worker", null=True),
                ),
                ("lease", models.UUIDField(blank=True, null=True, unique=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("attempts_started", models.PositiveSmallIntegerField(default=0)),
                (
                    "reason",
                    models.CharField(blank=True, help_text="public reason why it has no result", max_length=500),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("started", models.DateTimeField(blank=True, help_text="start of the last attempt", null=True)),
                ("ended", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("status", "queued")),
                        fields=["ladder", "-priority", "due_at"],
                        name="match_queue",
                    ),
                    models.Index(
                        condition=models.Q(("status", "running")), fields=["lease_until"], name="match_leases"
                    ),
                    models.Index(fields=["ladder", "status", "-id"], name="match_by_ladder_and_status"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["queued", "running", "finished", "void", "cancelled", "aborted"])
                        ),
                        name="match_status_is_known",
                    ),
                    models.UniqueConstraint(fields=("block", "lineup", "seating"), name="match_once_a_seating"),
                    models.UniqueConstraint(
                        condition=models.Q(("status", "running")), fields=("block",), name="match_runs_alone_in_block"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("lease__isnull", False),
                                ("lease_until__isnull", False),
                                ("started__isnull", False),
                                ("status", "running"),
                            ),
                            models.Q(
                                models.Q(("status", "running"), _negated=True),
                                ("lease__isnull", True),
                                ("lease_until__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="match_has_a_lease_while_it_runs",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended__isnull", True), ("status__in", ["queued", "running"])),
                            models.Q(
                                ("ended__isnull", False), ("status__in", ["finished", "void", "cancelled", "aborted"])
                            ),
                            _connector="OR",
                        ),
                        name="match_has_an_end_when_it_has_ended",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("status__in", ["void", "cancelled", "aborted"]),
                                models.Q(("reason", ""), _negated=True),
                            ),
                            models.Q(
                                models.Q(("status__in", ["void", "cancelled", "aborted"]), _negated=True),
                                ("reason", ""),
                            ),
                            _connector="OR",
                        ),
                        name="match_without_a_result_says_why",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Seat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seats", to="ladder.match"
                    ),
                ),
                ("index", models.PositiveSmallIntegerField(help_text="from 0")),
                (
                    "membership",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seats",
                        to="ladder.membership",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seats", to="bots.botversion"
                    ),
                ),
                ("guest_name", models.CharField(blank=True, db_default="", default="", max_length=20)),
            ],
            options={
                "ordering": ["match", "index"],
                "indexes": [models.Index(fields=["version", "match"], name="seat_by_version_and_match")],
                "constraints": [
                    models.UniqueConstraint(fields=("match", "index"), name="seat_taken_once"),
                    models.UniqueConstraint(fields=("match", "membership"), name="seat_once_a_membership"),
                    models.CheckConstraint(
                        condition=models.Q(("index__range", (0, 4))), name="seat_counts_from_zero_to_four"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="attempts", to="ladder.match"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="from 1")),
                ("token", models.UUIDField(unique=True)),
                ("worker", models.CharField(max_length=120)),
                ("started", models.DateTimeField()),
                ("heartbeat_at", models.DateTimeField()),
                ("ended", models.DateTimeField(blank=True, null=True)),
                (
                    "ending",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("finished", "finished"),
                            ("failed", "failed because of an error on the site"),
                            ("expired", "failed because the worker stopped responding"),
                            ("delayed", "discarded because of server lag and re-run"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("failure", models.CharField(blank=True, max_length=500)),
            ],
            options={
                "ordering": ["match", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("match", "number"), name="attempt_number_once_a_match"),
                    models.UniqueConstraint(
                        condition=models.Q(("ending", "open")), fields=("match",), name="attempt_one_open_a_match"
                    ),
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="attempt_counts_from_one"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended__isnull", True), ("ending", "open")),
                            models.Q(
                                ("ended__isnull", False), ("ending__in", ["finished", "failed", "expired", "delayed"])
                            ),
                            _connector="OR",
                        ),
                        name="attempt_ending_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ending__in", ["open", "finished"]), ("failure", "")),
                            models.Q(
                                ("ending__in", ["failed", "expired", "delayed"]),
                                models.Q(("failure", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="attempt_without_a_result_says_why",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Rerun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "block",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="reruns", to="ladder.block"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="reruns", to="bots.botversion"
                    ),
                ),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="reruns", to="ladder.attempt"
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("block", "version"), name="rerun_once_a_version_and_block")
                ],
            },
        ),
        migrations.CreateModel(
            name="RebuildRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="rebuilds", to="ladder.ladder"
                    ),
                ),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("check", "compared everything"),
                            ("repair", "wrote what differed"),
                            ("correction", "applied a correction"),
                        ],
                        max_length=10,
                    ),
                ),
                ("ledger_number", models.PositiveBigIntegerField()),
                ("results", models.PositiveBigIntegerField(help_text="number of results in the ledger")),
                ("records", models.BooleanField(default=False, help_text="whether all records were also hashed again")),
                ("differences", models.PositiveBigIntegerField()),
                ("sentences", models.JSONField(blank=True, default=list)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("started", models.DateTimeField()),
                ("ended", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [models.Index(fields=["ladder", "-id"], name="rebuild_by_ladder")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("purpose__in", ["check", "repair", "correction"])),
                        name="rebuild_purpose_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ended__gte", models.F("started"))), name="rebuild_ends_after_it_starts"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ChainMark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "ladder",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="chain_mark", to="ladder.ladder"
                    ),
                ),
                ("number", models.PositiveBigIntegerField(default=0)),
                (
                    "hash",
                    models.CharField(
                        default="0000000000000000000000000000000000000000000000000000000000000000", max_length=64
                    ),
                ),
                ("problem", models.CharField(blank=True, max_length=500)),
                ("checked", models.DateTimeField(auto_now=True)),
                ("violations", models.PositiveIntegerField(default=0)),
                ("audited", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["ladder"],
            },
        ),
        migrations.CreateModel(
            name="Intervention",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "match",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="interventions",
                        to="ladder.match",
                    ),
                ),
                (
                    "cup",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="interventions",
                        to="ladder.cup",
                    ),
                ),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("cancelled", "canceled before it started"),
                            ("voided", "voided without a result"),
                            ("taken back", "voided its result"),
                            ("removed title", "removed the title"),
                            ("removed about", "removed the description"),
                            ("removed reason", "removed a reason"),
                        ],
                        max_length=16,
                    ),
                ),
                ("before", models.CharField(blank=True, help_text="the removed text", max_length=1000)),
                ("reason", models.CharField(max_length=500)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("match",), name="intervention_once_a_match"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("action__in", ["cancelled", "voided", "taken back"]),
                                ("before", ""),
                                ("cup", None),
                                ("match__isnull", False),
                            ),
                            models.Q(
                                ("action__in", ["removed title", "removed about", "removed reason"]),
                                ("cup__isnull", False),
                                ("match", None),
                                models.Q(("before", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="intervention_is_on_a_match_or_a_cup",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="intervention_says_why"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ChatLine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="chat", to="ladder.match"
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="chat", to="ladder.seat"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="chat_lines",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("preset", models.CharField(blank=True, default="", max_length=20)),
                ("text", models.CharField(blank=True, default="", max_length=300)),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("hidden_at", models.DateTimeField(blank=True, null=True)),
                (
                    "hidden_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["match", "pk"],
                "indexes": [models.Index(fields=["by", "-created"], name="chat_line_by_person")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("preset", ""), models.Q(("text", ""), _negated=True)),
                            models.Q(models.Q(("preset", ""), _negated=True), ("text", "")),
                            _connector="OR",
                        ),
                        name="chat_line_is_a_preset_or_words",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("hidden_by", None), ("hidden_at__isnull", False), _connector="OR"),
                        name="chat_line_hidden_by_somebody_is_hidden",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ChatReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "line",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reports", to="ladder.chatline"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="chat_reports",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "settled_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(condition=models.Q(("settled_at", None)), fields=["created"], name="chat_report_open")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("line", "by"), name="chat_report_once_a_person"),
                    models.CheckConstraint(
                        condition=models.Q(("settled_by", None), ("settled_at__isnull", False), _connector="OR"),
                        name="chat_report_settled_by_somebody_is_settled",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Estimation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "season",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="estimation", to="ladder.season"
                    ),
                ),
                ("head", models.CharField(blank=True, max_length=64)),
                ("computed", models.DateTimeField(blank=True, null=True)),
                ("seconds", models.FloatField(default=0)),
                ("blocks", models.PositiveIntegerField(default=0)),
                ("lease", models.UUIDField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Estimate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="estimates", to="ladder.season"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="estimates", to="bots.botversion"
                    ),
                ),
                ("rating", models.IntegerField()),
                ("low", models.IntegerField()),
                ("high", models.IntegerField()),
                (
                    "rank_low",
                    models.PositiveIntegerField(blank=True, help_text="lower end of the rank interval", null=True),
                ),
                (
                    "rank_high",
                    models.PositiveIntegerField(blank=True, help_text="upper end of the rank interval", null=True),
                ),
                ("blocks", models.PositiveIntegerField()),
                ("games", models.PositiveIntegerField()),
                ("kept_draws", models.BinaryField()),
                ("computed", models.DateTimeField()),
            ],
            options={
                "ordering": ["season", "-rating", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("season", "version"), name="estimate_once_a_version"),
                    models.CheckConstraint(
                        condition=models.Q(("high__gte", models.F("rating")), ("low__lte", models.F("rating"))),
                        name="estimate_is_inside_its_interval",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("rank_high", None), ("rank_low", None)),
                            models.Q(
                                ("rank_high__gte", models.F("rank_low")),
                                ("rank_high__isnull", False),
                                ("rank_low__gte", 1),
                                ("rank_low__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="estimate_has_both_ranks_or_none",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LastSeat",
            fields=[
                (
                    "membership",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="last_seat",
                        serialize=False,
                        to="ladder.membership",
                    ),
                ),
                ("since", models.PositiveBigIntegerField()),
                (
                    "version",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="bots.botversion"
                    ),
                ),
                ("version_games", models.PositiveIntegerField(default=0)),
            ],
            options={
                "ordering": ["membership"],
            },
        ),
        migrations.CreateModel(
            name="Proposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="ladder.ladder"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="proposals",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "by_guest",
                    models.CharField(blank=True, db_default="", default="", help_text="SHA-256, hex", max_length=64),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("open", "for everyone"),
                            ("link", "by an invite link"),
                            ("bots", "against bots"),
                            ("challenge", "for named players"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("rated", models.BooleanField(default=False)),
                ("clock", models.CharField(blank=True, default="", max_length=10)),
                ("limits", models.JSONField(blank=True, default=dict, help_text="all fields of bots.protocol.Limits")),
                ("token", models.CharField(blank=True, default="", help_text="secret part of the link", max_length=43)),
                (
                    "again",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rematches",
                        to="ladder.match",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("started", "Started"),
                            ("declined", "Declined"),
                            ("expired", "Expired"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                (
                    "match",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="proposal",
                        to="ladder.match",
                    ),
                ),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("expires", models.DateTimeField()),
                ("ended", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(condition=models.Q(("state", "open")), fields=["expires"], name="proposal_open"),
                    models.Index(fields=["by", "-created"], name="proposal_by_person"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["open", "link", "bots", "challenge"])),
                        name="proposal_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["open", "started", "declined", "expired", "withdrawn"])),
                        name="proposal_state_is_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("token", ""), _negated=True), fields=("token",), name="proposal_token_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "link"), _negated=True),
                            models.Q(("token", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="proposal_by_link_has_a_token",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("by__isnull", False), ("by_guest", "")),
                            models.Q(("by", None), ("kind__in", ["link", "challenge"]), ("rated", False)),
                            _connector="OR",
                        ),
                        name="proposal_of_a_guest_is_casual_by_link_or_a_rematch",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "declined"), _negated=True), ("kind", "challenge"), _connector="OR"
                        ),
                        name="proposal_declined_is_a_challenge",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("again", None), ("kind", "challenge"), _connector="OR"),
                        name="proposal_of_a_rematch_is_a_challenge",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("match__isnull", False), ("state", "started")),
                            models.Q(models.Q(("state", "started"), _negated=True), ("match", None)),
                            _connector="OR",
                        ),
                        name="proposal_has_a_match_once_started",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended", None), ("state", "open")),
                            models.Q(models.Q(("state", "open"), _negated=True), ("ended__isnull", False)),
                            _connector="OR",
                        ),
                        name="proposal_has_an_end_when_it_has_ended",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ProposalPlayer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "proposal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="players", to="ladder.proposal"
                    ),
                ),
                ("index", models.PositiveSmallIntegerField()),
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="bots.bot"
                    ),
                ),
                ("accepted", models.BooleanField(blank=True, null=True)),
                (
                    "guest",
                    models.CharField(blank=True, db_default="", default="", help_text="SHA-256, hex", max_length=64),
                ),
                ("guest_name", models.CharField(blank=True, db_default="", default="", max_length=20)),
                (
                    "guest_address",
                    models.CharField(blank=True, db_default="", default="", help_text="keyed hash, hex", max_length=64),
                ),
            ],
            options={
                "ordering": ["proposal", "index"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("guest", ""), _negated=True),
                        fields=["guest"],
                        name="proposal_player_by_guest",
                    ),
                    models.Index(
                        condition=models.Q(("guest_address", ""), _negated=True),
                        fields=["guest_address"],
                        name="proposal_player_by_address",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("proposal", "index"), name="proposal_player_index_once"),
                    models.UniqueConstraint(fields=("proposal", "bot", "guest"), name="proposal_player_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("guest", ""),
                            django.db.models.lookups.Exact(django.db.models.functions.text.Length("guest"), 64),
                            _connector="OR",
                        ),
                        name="proposal_player_guest_is_sha256",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Pairing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "bot",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pairing", to="bots.bot"
                    ),
                ),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pairings", to="ladder.ladder"
                    ),
                ),
                ("since", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "ordering": ["since", "pk"],
                "indexes": [
                    models.Index(fields=["ladder", "since"], name="pairing_by_ladder"),
                    models.Index(fields=["seen_at"], name="pairing_seen"),
                ],
            },
        ),
        migrations.CreateModel(
            name="GuestNameReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="guest_name_reports", to="ladder.seat"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guest_name_reports",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(max_length=20)),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "settled_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "removed",
                    models.BooleanField(db_default=False, default=False, help_text="whether the name was removed"),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("settled_at", None)), fields=["created"], name="guest_name_report_open"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("seat", "by"), name="guest_name_report_once_a_person"),
                    models.CheckConstraint(
                        condition=models.Q(("settled_by", None), ("settled_at__isnull", False), _connector="OR"),
                        name="guest_name_report_settled_by_somebody_is_settled",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("removed", False), ("settled_at__isnull", False), _connector="OR"),
                        name="guest_name_removed_is_settled",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Result",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="result", to="ladder.match"
                    ),
                ),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="result", to="ladder.attempt"
                    ),
                ),
                ("packed_record", models.BinaryField()),
                ("report", models.JSONField()),
                ("figures", models.JSONField(default=dict)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="LedgerEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="ledger", to="ladder.ladder"
                    ),
                ),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="ledger", to="ladder.season"
                    ),
                ),
                ("number", models.PositiveBigIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("result", "a result"),
                            ("void", "a voided result"),
                            ("merge", "a merged or removed bot"),
                            ("k", "a new K"),
                            ("season", "a season's start"),
                        ],
                        default="result",
                        max_length=10,
                    ),
                ),
                (
                    "result",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ledger_entries",
                        to="ladder.result",
                    ),
                ),
                ("document", models.JSONField()),
                ("hash", models.CharField(max_length=64)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "verbose_name_plural": "ledger entries",
                "ordering": ["ladder", "number"],
                "indexes": [models.Index(fields=["ladder", "kind", "number"], name="ledger_by_kind")],
                "constraints": [
                    models.UniqueConstraint(fields=("ladder", "number"), name="ledger_number_once_a_ladder"),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "result")), fields=("result",), name="ledger_result_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "void")), fields=("result",), name="ledger_void_once_a_result"
                    ),
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="ledger_counts_from_one"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind__in", ["result", "void"]), ("result__isnull", False)),
                            models.Q(("kind__in", ["merge", "k", "season"]), ("result", None)),
                            _connector="OR",
                        ),
                        name="ledger_kind_is_known_and_names_its_result",
                    ),
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("hash"), 64),
                        name="ledger_hash_is_sha256",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SeatResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "result",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seat_results", to="ladder.result"
                    ),
                ),
                (
                    "seat",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="result", to="ladder.seat"
                    ),
                ),
                ("rank", models.PositiveSmallIntegerField(help_text="competition rank: 1, 1, 3 for two winners")),
                (
                    "score",
                    models.JSONField(help_text="score object of the game; without numbers if the game ended early"),
                ),
                (
                    "forfeit",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("strikes", "strikes"),
                            ("exit", "exit"),
                            ("not_ready", "not_ready"),
                            ("memory", "memory"),
                            ("time", "time"),
                            ("resign", "resign"),
                            ("abandoned", "abandoned"),
                        ],
                        max_length=10,
                    ),
                ),
                ("evidence", models.TextField(blank=True)),
                ("rating_before", models.BigIntegerField(blank=True, null=True)),
                ("rating_after", models.BigIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ["result", "seat__index"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("rank__range", (1, 5))), name="seat_result_rank_from_one_to_five"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(models.Q(("forfeit", ""), _negated=True), ("evidence", ""), _connector="OR"),
                        name="seat_result_evidence_only_with_a_forfeit",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("rating_after", None), ("rating_before", None)),
                            models.Q(("rating_after__isnull", False), ("rating_before__isnull", False)),
                            _connector="OR",
                        ),
                        name="seat_result_has_both_ratings_or_none",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SeatLog",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "seat",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="log", to="ladder.seat"
                    ),
                ),
                ("packed", models.BinaryField()),
                ("created", models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
            options={
                "ordering": ["seat"],
            },
        ),
        migrations.CreateModel(
            name="SeasonStatistics",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "season",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="statistics", to="ladder.season"
                    ),
                ),
                ("corrections", models.PositiveIntegerField(default=0)),
                ("blocks", models.PositiveBigIntegerField(default=0, help_text="number of blocks in the tallies")),
                ("habits", models.JSONField(default=dict)),
                ("measured", models.DateTimeField(blank=True, null=True)),
                (
                    "measured_blocks",
                    models.PositiveBigIntegerField(default=0, help_text="number of blocks at that time"),
                ),
                ("document", models.JSONField(default=dict)),
                ("collusion", models.JSONField(default=dict)),
            ],
            options={
                "verbose_name_plural": "season statistics",
                "ordering": ["season"],
            },
        ),
        migrations.CreateModel(
            name="SeatTally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seat_tallies", to="ladder.season"
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seat_tallies", to="ladder.membership"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seat_tallies", to="bots.botversion"
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField(help_text="from 0")),
                ("games", models.PositiveIntegerField(default=0)),
                ("wins", models.PositiveBigIntegerField(default=0)),
                ("points", models.PositiveBigIntegerField(default=0)),
                ("forfeits", models.PositiveIntegerField(default=0)),
                ("figures", models.JSONField(default=dict)),
            ],
            options={
                "ordering": ["season", "membership", "version", "seat"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("season", "membership", "version", "seat"), name="seat_tally_once_a_version_and_seat"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="VersionTally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="version_tallies", to="ladder.season"
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="version_tallies",
                        to="ladder.membership",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="version_tallies",
                        to="bots.botversion",
                    ),
                ),
                ("blocks", models.PositiveIntegerField(default=0)),
                ("games", models.PositiveIntegerField(default=0)),
                ("points", models.PositiveBigIntegerField(default=0)),
                ("squares", models.PositiveBigIntegerField(default=0)),
                ("habits", models.JSONField(default=dict)),
                ("seats", models.JSONField(default=list)),
            ],
            options={
                "ordering": ["season", "membership", "version"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("season", "membership", "version"), name="version_tally_once_a_version"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PairTally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pair_tallies", to="ladder.season"
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="pair_tallies", to="ladder.membership"
                    ),
                ),
                (
                    "opponent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ladder.membership"
                    ),
                ),
                ("games", models.PositiveIntegerField(default=0)),
                ("points", models.PositiveBigIntegerField(default=0)),
                ("blocks", models.PositiveIntegerField(default=0)),
                ("share_sum", models.FloatField(default=0)),
                ("share_squares", models.FloatField(default=0)),
                ("bought", models.PositiveBigIntegerField(default=0)),
                ("paid", models.PositiveBigIntegerField(default=0)),
                ("sold", models.PositiveBigIntegerField(default=0)),
                ("received", models.PositiveBigIntegerField(default=0)),
                ("seats", models.JSONField(default=list)),
            ],
            options={
                "ordering": ["season", "membership", "opponent"],
                "constraints": [
                    models.UniqueConstraint(fields=("season", "membership", "opponent"), name="pair_tally_once_a_pair"),
                    models.CheckConstraint(
                        condition=models.Q(("membership", models.F("opponent")), _negated=True),
                        name="pair_tally_is_of_two",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Table",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="table",
                        serialize=False,
                        to="ladder.match",
                    ),
                ),
                ("limits", models.JSONField(default=dict, help_text="all fields of bots.protocol.Limits of the game")),
                ("moves", models.PositiveIntegerField(default=0)),
                ("round", models.PositiveIntegerField(default=1)),
                ("settled_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("followed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("over", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(condition=models.Q(("over", True)), fields=["match"], name="table_to_be_ended")
                ],
            },
        ),
        migrations.CreateModel(
            name="LiveSeat",
            fields=[
                (
                    "seat",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="live_seat",
                        serialize=False,
                        to="ladder.seat",
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="live_seats", to="ladder.table"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("hosted", "program that the site runs"),
                            ("remote", "program that its owner runs"),
                            ("person", "a person"),
                            ("substitute", "hosted bot in the seat of a human player"),
                        ],
                        max_length=10,
                    ),
                ),
                ("asked", models.PositiveIntegerField(default=0)),
                ("owes", models.BooleanField(default=False)),
                ("due_at", models.DateTimeField(blank=True, null=True)),
                ("deadline", models.DateTimeField(blank=True, null=True)),
                (
                    "woken_at",
                    models.DateTimeField(
                        blank=True, help_text="last heartbeat of the worker that plays the seat", null=True
                    ),
                ),
                ("starts", models.PositiveIntegerField(default=0, help_text="number of program starts in this game")),
                ("strikes", models.PositiveSmallIntegerField(default=0)),
                ("bank_ms", models.PositiveIntegerField()),
                ("game_ms", models.PositiveIntegerField()),
                ("latency_ms", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "forfeit",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("strikes", "strikes"),
                            ("exit", "exit"),
                            ("not_ready", "not_ready"),
                            ("memory", "memory"),
                            ("time", "time"),
                            ("resign", "resign"),
                            ("abandoned", "abandoned"),
                        ],
                        max_length=10,
                    ),
                ),
                ("evidence", models.CharField(blank=True, help_text="evidence for the forfeit", max_length=500)),
                (
                    "guest",
                    models.CharField(blank=True, db_default="", default="", help_text="SHA-256, hex", max_length=64),
                ),
                (
                    "guest_address",
                    models.CharField(blank=True, db_default="", default="", help_text="keyed hash, hex", max_length=64),
                ),
                (
                    "substitute",
                    models.ForeignKey(
                        blank=True,
                        help_text="present or former substitute bot",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="bots.botversion",
                    ),
                ),
                (
                    "seen_at",
                    models.DateTimeField(blank=True, help_text="time at which the player was last seen", null=True),
                ),
                ("left_at", models.DateTimeField(blank=True, help_text="time at which the player left", null=True)),
                (
                    "missed",
                    models.PositiveSmallIntegerField(db_default=0, default=0, help_text="consecutive missed decisions"),
                ),
                (
                    "returned",
                    models.BooleanField(
                        db_default=False, default=False, help_text="whether the player has already returned once"
                    ),
                ),
                (
                    "resigned",
                    models.BooleanField(
                        db_default=False, default=False, help_text="whether the player resigned and a substitute plays"
                    ),
                ),
                (
                    "would_abort",
                    models.BooleanField(
                        db_default=False, default=False, help_text="whether the player agrees to abort"
                    ),
                ),
            ],
            options={
                "ordering": ["seat"],
                "indexes": [
                    models.Index(condition=models.Q(("owes", True)), fields=["deadline"], name="live_seat_deadlines"),
                    models.Index(
                        condition=models.Q(("guest", ""), _negated=True), fields=["guest"], name="live_seat_by_guest"
                    ),
                    models.Index(
                        condition=models.Q(("guest_address", ""), _negated=True),
                        fields=["guest_address"],
                        name="live_seat_by_address",
                    ),
                    models.Index(
                        condition=models.Q(("kind__in", ["hosted", "substitute"]), ("owes", True)),
                        fields=["due_at"],
                        name="live_seat_to_be_woken",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["hosted", "remote", "person", "substitute"])),
                        name="live_seat_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("deadline", None), ("due_at", None), ("owes", False)),
                            models.Q(("asked__gte", 1), ("due_at__isnull", False), ("owes", True)),
                            _connector="OR",
                        ),
                        name="live_seat_that_owes_knows_when_it_was_asked",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("owes", False),
                            models.Q(("deadline", None), ("kind__in", ["hosted", "substitute"])),
                            models.Q(
                                models.Q(("kind__in", ["hosted", "substitute"]), _negated=True),
                                ("deadline__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="live_seat_has_a_deadline_unless_a_worker_asks_it",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "substitute"), _negated=True),
                            ("substitute__isnull", False),
                            _connector="OR",
                        ),
                        name="live_seat_with_a_substitute_says_who",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("guest", ""),
                            models.Q(
                                ("kind__in", ["person", "substitute"]),
                                django.db.models.lookups.Exact(django.db.models.functions.text.Length("guest"), 64),
                            ),
                            _connector="OR",
                        ),
                        name="live_seat_of_a_guest_is_a_persons",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(models.Q(("forfeit", ""), _negated=True), ("evidence", ""), _connector="OR"),
                        name="live_seat_forfeits_with_evidence",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("forfeit", ""), ("owes", False), _connector="OR"),
                        name="live_seat_that_forfeited_owes_nothing",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Occupant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="occupants", to="ladder.match"
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="occupants", to="ladder.seat"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="bots.botversion"
                    ),
                ),
                ("from_move", models.PositiveIntegerField()),
                ("to_move", models.PositiveIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ["match", "seat", "from_move", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("to_move", None)), fields=("seat",), name="occupant_one_open_a_seat"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("to_move", None), ("to_move__gte", models.F("from_move")), _connector="OR"),
                        name="occupant_ends_after_it_begins",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Outage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="outages", to="ladder.match"
                    ),
                ),
                ("before_move", models.PositiveIntegerField()),
                ("ended", models.DateTimeField()),
                ("ms", models.PositiveIntegerField(help_text="ms since the last heartbeat before it")),
            ],
            options={
                "ordering": ["match", "ended"],
                "indexes": [models.Index(fields=["ended"], name="outage_by_end")],
            },
        ),
        migrations.CreateModel(
            name="PlayedMove",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="played_moves", to="ladder.match"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="played_moves", to="ladder.seat"
                    ),
                ),
                ("decision", models.PositiveIntegerField(blank=True, null=True)),
                ("move", models.JSONField()),
                (
                    "default",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("late", "late"),
                            ("malformed", "malformed"),
                            ("too_long", "too_long"),
                            ("wrong_id", "wrong_id"),
                            ("illegal", "illegal"),
                            ("forfeit", "forfeit"),
                            ("absent", "absent"),
                        ],
                        max_length=10,
                    ),
                ),
                ("answer", models.CharField(blank=True, max_length=64)),
                (
                    "detail",
                    models.CharField(blank=True, help_text="problem of the answer, for the owner", max_length=500),
                ),
                (
                    "heard",
                    models.CharField(
                        blank=True, help_text="escaped start of the answer, for the owner", max_length=600
                    ),
                ),
                ("kind", models.CharField(help_text="kind of the decision", max_length=20)),
                ("round", models.PositiveIntegerField()),
                ("asked_at", models.DateTimeField(blank=True, null=True)),
                ("received_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("visible_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "delays",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="delay in ms before each hidden forced step after the decision",
                    ),
                ),
                ("wall_ms", models.PositiveIntegerField(default=0, help_text="time charged to the seat")),
                (
                    "thought_ms",
                    models.PositiveIntegerField(
                        blank=True, help_text="thinking time that the client reported", null=True
                    ),
                ),
            ],
            options={
                "ordering": ["match", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("match", "number"), name="played_move_number_once_a_match"),
                    models.UniqueConstraint(fields=("seat", "decision"), name="played_move_decision_once_a_seat"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("decision__gte", 1), ("decision__isnull", False)),
                            models.Q(("decision", None), ("default__in", ["forfeit", "absent"])),
                            _connector="OR",
                        ),
                        name="played_move_without_a_decision_is_a_default",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("visible_at__gte", models.F("received_at"))),
                        name="played_move_is_shown_after_it_came",
                    ),
                ],
            },
        ),
        migrations.RunPython(keep, let_go),
    ]
