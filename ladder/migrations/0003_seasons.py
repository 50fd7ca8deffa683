import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ladder", "0002_owner_logs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Block",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "number",
                    models.PositiveBigIntegerField(
                        blank=True, help_text="from 1, without gaps in its series", null=True
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
                            ("live", "live game"),
                            ("early", "rated, from before the first season"),
                        ],
                        default="ladder",
                        max_length=10,
                    ),
                ),
                ("seed", models.BinaryField(max_length=32)),
                (
                    "commitment",
                    models.CharField(help_text="SHA-256 of the seed, hex, public from the start", max_length=64),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "ended",
                    models.DateTimeField(blank=True, help_text="when the last of its games had ended", null=True),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="DealSeries",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("ladder", "rated blocks"),
                            ("test", "tests, challenges and scheduled matches"),
                            ("live", "games with people or remote bots"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="what is hashed: the ladder's slug, test-<slug> or live-<slug>", max_length=70
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
            },
        ),
        migrations.CreateModel(
            name="FinalStanding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rank", models.PositiveIntegerField(help_text="competition rank by rating")),
                ("rating", models.BigIntegerField(help_text="in 1/1000 point")),
                ("games", models.PositiveIntegerField()),
                ("wins", models.PositiveBigIntegerField(help_text="in 1/60")),
            ],
            options={
                "ordering": ["season", "rank", "entry"],
            },
        ),
        migrations.CreateModel(
            name="Season",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(help_text="from 1, without gaps")),
                ("opened", models.DateTimeField(auto_now_add=True)),
                ("closing", models.DateTimeField(blank=True, null=True)),
                ("closed", models.DateTimeField(blank=True, null=True)),
                ("next_num", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("next_den", models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ["ladder", "number"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="match",
            name="match_status_is_known",
        ),
        migrations.RemoveConstraint(
            model_name="match",
            name="match_has_an_end_when_it_has_ended",
        ),
        migrations.RemoveConstraint(
            model_name="match",
            name="match_without_a_result_says_why",
        ),
        migrations.AddField(
            model_name="ladder",
            name="ledger_head",
            field=models.CharField(
                default="0000000000000000000000000000000000000000000000000000000000000000",
                editable=False,
                help_text="the last entry's hash",
                max_length=64,
            ),
        ),
        migrations.AddField(
            model_name="ledgerentry",
            name="author",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="ledgerentry",
            name="created",
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
        ),
        migrations.AddField(
            model_name="ledgerentry",
            name="document",
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name="ledgerentry",
            name="hash",
            field=models.CharField(max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="ledgerentry",
            name="kind",
            field=models.CharField(
                choices=[
                    ("result", "a result"),
                    ("void", "a result taken back"),
                    ("merge", "an entry merged or taken out"),
                    ("k", "a new K"),
                    ("season", "a season's start"),
                ],
                default="result",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="seating",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AlterField(
            model_name="ledgerentry",
            name="result",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="ledger_entries",
                to="ladder.result",
            ),
        ),
        migrations.AlterField(
            model_name="match",
            name="reason",
            field=models.CharField(blank=True, help_text="why it has no result, for everybody", max_length=500),
        ),
        migrations.AlterField(
            model_name="match",
            name="status",
            field=models.CharField(
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
        migrations.AlterField(
            model_name="seat",
            name="entry",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="seats",
                to="ladder.entry",
            ),
        ),
        migrations.AlterField(
            model_name="seatresult",
            name="rating_after",
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="seatresult",
            name="rating_before",
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="seatresult",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("rating_after", None), ("rating_before", None)),
                    models.Q(("rating_after__isnull", False), ("rating_before__isnull", False)),
                    _connector="OR",
                ),
                name="seat_result_has_both_ratings_or_none",
            ),
        ),
        migrations.AddField(
            model_name="block",
            name="ladder",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="blocks", to="ladder.ladder"
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="block",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="matches", to="ladder.block"
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "finished", "void", "cancelled", "aborted"])),
                name="match_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.UniqueConstraint(fields=("block", "seating"), name="match_once_a_seating"),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended__isnull", True), ("status__in", ["queued", "running"])),
                    models.Q(("ended__isnull", False), ("status__in", ["finished", "void", "cancelled", "aborted"])),
                    _connector="OR",
                ),
                name="match_has_an_end_when_it_has_ended",
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status__in", ["void", "cancelled", "aborted"]), models.Q(("reason", ""), _negated=True)),
                    models.Q(models.Q(("status__in", ["void", "cancelled", "aborted"]), _negated=True), ("reason", "")),
                    _connector="OR",
                ),
                name="match_without_a_result_says_why",
            ),
        ),
        migrations.AddField(
            model_name="block",
            name="series",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="blocks",
                to="ladder.dealseries",
            ),
        ),
        migrations.AddField(
            model_name="finalstanding",
            name="entry",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="final_standings", to="ladder.entry"
            ),
        ),
        migrations.AddField(
            model_name="season",
            name="ladder",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="seasons", to="ladder.ladder"
            ),
        ),
        migrations.AddField(
            model_name="finalstanding",
            name="season",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="final_table", to="ladder.season"
            ),
        ),
        migrations.AddField(
            model_name="dealseries",
            name="season",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="series", to="ladder.season"
            ),
        ),
        migrations.AddField(
            model_name="ledgerentry",
            name="season",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="ledger", to="ladder.season"
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "result")), fields=("result",), name="ledger_result_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "void")), fields=("result",), name="ledger_void_once_a_result"
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind__in", ["result", "void"]), ("result__isnull", False)),
                    models.Q(("kind__in", ["merge", "k", "season"]), ("result", None)),
                    _connector="OR",
                ),
                name="ledger_kind_is_known_and_names_its_result",
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("hash"), 64),
                name="ledger_hash_is_sha256",
            ),
        ),
        migrations.AddIndex(
            model_name="block",
            index=models.Index(condition=models.Q(("ended", None)), fields=["ladder"], name="block_open"),
        ),
        migrations.AddIndex(
            model_name="block",
            index=models.Index(fields=["ladder", "purpose", "-id"], name="block_by_ladder_and_purpose"),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.UniqueConstraint(fields=("series", "number"), name="block_number_once_a_series"),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("purpose__in", ["ladder", "test", "challenge", "comparison", "scheduled", "live", "early"])
                ),
                name="block_purpose_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("number", None), ("purpose", "early"), ("series", None)),
                    models.Q(
                        models.Q(("purpose", "early"), _negated=True),
                        ("number__gte", 1),
                        ("number__isnull", False),
                        ("series__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="block_is_numbered_in_a_series_unless_early",
            ),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("seed"), 32),
                name="block_seed_has_32_bytes",
            ),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("commitment"), 64),
                name="block_commitment_is_sha256",
            ),
        ),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.UniqueConstraint(fields=("ladder", "number"), name="season_number_once_a_ladder"),
        ),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.UniqueConstraint(
                condition=models.Q(("closed", None)), fields=("ladder",), name="season_one_open_a_ladder"
            ),
        ),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="season_counts_from_one"),
        ),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.CheckConstraint(
                condition=models.Q(("closed", None), models.Q(("closing", None), _negated=True), _connector="OR"),
                name="season_closes_before_it_is_closed",
            ),
        ),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.CheckConstraint(
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
        ),
        migrations.AddConstraint(
            model_name="finalstanding",
            constraint=models.UniqueConstraint(fields=("season", "entry"), name="final_standing_once_an_entry"),
        ),
        migrations.AddConstraint(
            model_name="dealseries",
            constraint=models.UniqueConstraint(fields=("season", "kind"), name="deal_series_one_of_a_kind"),
        ),
        migrations.AddConstraint(
            model_name="dealseries",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["ladder", "test", "live"])), name="deal_series_kind_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="dealseries",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("key"), 32),
                name="deal_series_key_has_32_bytes",
            ),
        ),
        migrations.AddConstraint(
            model_name="dealseries",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("key_hash"), 64),
                name="deal_series_key_hash_is_sha256",
            ),
        ),
        migrations.AddConstraint(
            model_name="dealseries",
            constraint=models.CheckConstraint(
                condition=models.Q(("next_number__gte", 1)), name="deal_series_counts_from_one"
            ),
        ),
    ]
