import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0002_uploads"),
        ("ladder", "0005_deals_of_blocks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Agreement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("agreed", models.BooleanField(blank=True, null=True)),
                ("answered", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["order", "pk"],
            },
        ),
        migrations.CreateModel(
            name="ChainMark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
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
            name="Estimate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rating", models.IntegerField()),
                ("low", models.IntegerField()),
                ("high", models.IntegerField()),
                ("rank_low", models.PositiveIntegerField(blank=True, help_text="the best that it may have", null=True)),
                (
                    "rank_high",
                    models.PositiveIntegerField(blank=True, help_text="the worst that it may have", null=True),
                ),
                ("blocks", models.PositiveIntegerField()),
                ("games", models.PositiveIntegerField()),
                ("kept_draws", models.BinaryField()),
                ("computed", models.DateTimeField()),
            ],
            options={
                "ordering": ["season", "-rating", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Estimation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("head", models.CharField(blank=True, max_length=64)),
                ("computed", models.DateTimeField(blank=True, null=True)),
                ("seconds", models.FloatField(default=0)),
                ("blocks", models.PositiveIntegerField(default=0)),
                ("lease", models.UUIDField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Intervention",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("cancelled", "cancelled before anybody began it"),
                            ("voided", "voided without a result"),
                            ("taken back", "took its result back"),
                        ],
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(max_length=500)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="LastSeat",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="last_seat",
                        serialize=False,
                        to="ladder.entry",
                    ),
                ),
                ("since", models.PositiveBigIntegerField()),
                ("version_games", models.PositiveIntegerField(default=0)),
            ],
            options={
                "ordering": ["entry"],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["ladder", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("test", "test"),
                            ("challenge", "challenge"),
                            ("comparison", "comparison"),
                            ("scheduled", "scheduled match"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "token",
                    models.UUIDField(help_text="of the form that sent it: sent twice, it is one order", unique=True),
                ),
                ("blocks_wanted", models.PositiveIntegerField()),
                ("games_wanted", models.PositiveIntegerField(help_text="in all blocks, for the daily limit")),
                ("rotated", models.BooleanField(default=True)),
                ("margin", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("verdict", models.CharField(blank=True, max_length=10)),
                ("due_at", models.DateTimeField(blank=True, help_text="when a scheduled match begins", null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("invited", "waits until everybody has agreed"),
                            ("planned", "waits for its time"),
                            ("running", "is being played"),
                            ("finished", "finished"),
                            ("cancelled", "cancelled"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "reason",
                    models.CharField(blank=True, help_text="why it was cancelled or ended early", max_length=500),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("ended", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="OrderPlayer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
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
            ],
            options={
                "ordering": ["order", "part", "index"],
            },
        ),
        migrations.CreateModel(
            name="PairTally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("games", models.PositiveIntegerField(default=0)),
                ("points", models.PositiveBigIntegerField(default=0)),
                ("blocks", models.PositiveIntegerField(default=0)),
                ("share_sum", models.FloatField(default=0)),
                ("share_squares", models.FloatField(default=0)),
                ("bought", models.PositiveBigIntegerField(default=0)),
                ("paid", models.PositiveBigIntegerField(default=0)),
                ("sold", models.PositiveBigIntegerField(default=0)),
                ("received", models.PositiveBigIntegerField(default=0)),
            ],
            options={
                "ordering": ["season", "entry", "opponent"],
            },
        ),
        migrations.CreateModel(
            name="RebuildRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
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
                ("results", models.PositiveBigIntegerField(help_text="how many results the ledger had")),
                ("records", models.BooleanField(default=False, help_text="whether every record was hashed again, too")),
                ("differences", models.PositiveBigIntegerField()),
                ("sentences", models.JSONField(blank=True, default=list)),
                ("started", models.DateTimeField()),
                ("ended", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="SeasonStatistics",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("corrections", models.PositiveIntegerField(default=0)),
                ("blocks", models.PositiveBigIntegerField(default=0, help_text="blocks that the tallies hold")),
                ("measured", models.DateTimeField(blank=True, null=True)),
                (
                    "measured_blocks",
                    models.PositiveBigIntegerField(default=0, help_text="how many the tallies held then"),
                ),
                ("document", models.JSONField(default=dict)),
                ("feeding", models.JSONField(default=dict)),
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
                ("seat", models.PositiveSmallIntegerField(help_text="from 0")),
                ("games", models.PositiveIntegerField(default=0)),
                ("wins", models.PositiveBigIntegerField(default=0)),
                ("points", models.PositiveBigIntegerField(default=0)),
                ("forfeits", models.PositiveIntegerField(default=0)),
                ("figures", models.JSONField(default=dict)),
            ],
            options={
                "ordering": ["season", "entry", "version", "seat"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="match",
            name="match_once_a_seating",
        ),
        migrations.AddField(
            model_name="block",
            name="gathered",
            field=models.BooleanField(default=False, help_text="whether the season's statistics have it"),
        ),
        migrations.AddField(
            model_name="entry",
            name="frozen",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="frozen_in",
                to="bots.botversion",
            ),
        ),
        migrations.AddField(
            model_name="ladder",
            name="by_invitation",
            field=models.BooleanField(default=False, help_text="whether only members enter their bots"),
        ),
        migrations.AddField(
            model_name="ladder",
            name="freezes_at",
            field=models.DateTimeField(blank=True, help_text="from when on versions stay as they are", null=True),
        ),
        migrations.AddField(
            model_name="ladder",
            name="invitation",
            field=models.CharField(
                blank=True, help_text="the secret part of the link that makes members", max_length=43
            ),
        ),
        migrations.AddField(
            model_name="ladder",
            name="opened_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="ladder",
            name="private",
            field=models.BooleanField(default=False, help_text="whether only members and staff know of it"),
        ),
        migrations.AddField(
            model_name="match",
            name="lineup",
            field=models.PositiveSmallIntegerField(
                default=0, help_text="of the two of a comparison on one deal, else 0"
            ),
        ),
        migrations.AddField(
            model_name="result",
            name="figures",
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name="season",
            name="closed_by",
            field=models.ForeignKey(
                blank=True,
                help_text="who of the staff has closed it, or said when it closes",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="season",
            name="closes_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="ledgerentry",
            index=models.Index(fields=["ladder", "kind", "number"], name="ledger_by_kind"),
        ),
        migrations.AddConstraint(
            model_name="ladder",
            constraint=models.CheckConstraint(
                condition=models.Q(("private", False), ("by_invitation", True), _connector="OR"),
                name="ladder_private_is_by_invitation",
            ),
        ),
        migrations.AddConstraint(
            model_name="ladder",
            constraint=models.UniqueConstraint(
                condition=models.Q(("invitation", ""), _negated=True),
                fields=("invitation",),
                name="ladder_invitation_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.UniqueConstraint(fields=("block", "lineup", "seating"), name="match_once_a_seating"),
        ),
        migrations.AddField(
            model_name="agreement",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="agreements", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="chainmark",
            name="ladder",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="chain_mark", to="ladder.ladder"
            ),
        ),
        migrations.AddField(
            model_name="estimate",
            name="season",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="estimates", to="ladder.season"
            ),
        ),
        migrations.AddField(
            model_name="estimate",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="estimates", to="bots.botversion"
            ),
        ),
        migrations.AddField(
            model_name="estimation",
            name="season",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="estimation", to="ladder.season"
            ),
        ),
        migrations.AddField(
            model_name="intervention",
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
            model_name="intervention",
            name="match",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="interventions", to="ladder.match"
            ),
        ),
        migrations.AddField(
            model_name="lastseat",
            name="version",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="bots.botversion"
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="ladder",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="ladder.ladder"
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="order",
            name="ladder",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="orders", to="ladder.ladder"
            ),
        ),
        migrations.AddField(
            model_name="order",
            name="requested_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="orders", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="agreement",
            name="order",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="agreements", to="ladder.order"
            ),
        ),
        migrations.AddField(
            model_name="block",
            name="order",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="blocks",
                to="ladder.order",
            ),
        ),
        migrations.AddIndex(
            model_name="block",
            index=models.Index(
                condition=models.Q(("ended__isnull", False), ("gathered", False), ("purpose", "ladder")),
                fields=["series", "id"],
                name="block_to_gather",
            ),
        ),
        migrations.AddField(
            model_name="orderplayer",
            name="order",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="players", to="ladder.order"
            ),
        ),
        migrations.AddField(
            model_name="orderplayer",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="ordered", to="bots.botversion"
            ),
        ),
        migrations.AddField(
            model_name="pairtally",
            name="entry",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="pair_tallies", to="ladder.entry"
            ),
        ),
        migrations.AddField(
            model_name="pairtally",
            name="opponent",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ladder.entry"),
        ),
        migrations.AddField(
            model_name="pairtally",
            name="season",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="pair_tallies", to="ladder.season"
            ),
        ),
        migrations.AddField(
            model_name="rebuildrun",
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
            model_name="rebuildrun",
            name="ladder",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="rebuilds", to="ladder.ladder"
            ),
        ),
        migrations.AddField(
            model_name="seasonstatistics",
            name="season",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="statistics", to="ladder.season"
            ),
        ),
        migrations.AddField(
            model_name="seattally",
            name="entry",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="seat_tallies", to="ladder.entry"
            ),
        ),
        migrations.AddField(
            model_name="seattally",
            name="season",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="seat_tallies", to="ladder.season"
            ),
        ),
        migrations.AddField(
            model_name="seattally",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="seat_tallies", to="bots.botversion"
            ),
        ),
        migrations.AddConstraint(
            model_name="estimate",
            constraint=models.UniqueConstraint(fields=("season", "version"), name="estimate_once_a_version"),
        ),
        migrations.AddConstraint(
            model_name="estimate",
            constraint=models.CheckConstraint(
                condition=models.Q(("high__gte", models.F("rating")), ("low__lte", models.F("rating"))),
                name="estimate_is_inside_its_interval",
            ),
        ),
        migrations.AddConstraint(
            model_name="estimate",
            constraint=models.CheckConstraint(
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
        ),
        migrations.AddConstraint(
            model_name="intervention",
            constraint=models.UniqueConstraint(fields=("match",), name="intervention_once_a_match"),
        ),
        migrations.AddConstraint(
            model_name="intervention",
            constraint=models.CheckConstraint(
                condition=models.Q(("action__in", ["cancelled", "voided", "taken back"])),
                name="intervention_action_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="intervention",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="intervention_says_why"
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(fields=("ladder", "person"), name="membership_once_a_person"),
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(
                condition=models.Q(("state__in", ["invited", "planned", "running"])),
                fields=["state", "due_at"],
                name="order_open",
            ),
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(fields=["requested_by", "-created"], name="order_by_person"),
        ),
        migrations.AddConstraint(
            model_name="order",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["test", "challenge", "comparison", "scheduled"])),
                name="order_kind_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="order",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended", None), ("state__in", ["invited", "planned", "running"])),
                    models.Q(("ended__isnull", False), ("state__in", ["finished", "cancelled"])),
                    _connector="OR",
                ),
                name="order_has_an_end_when_it_has_ended",
            ),
        ),
        migrations.AddConstraint(
            model_name="order",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "cancelled"), _negated=True),
                    models.Q(("reason", ""), _negated=True),
                    _connector="OR",
                ),
                name="order_cancelled_says_why",
            ),
        ),
        migrations.AddConstraint(
            model_name="order",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("due_at", None), ("kind", "comparison"), ("margin__isnull", False), ("margin__range", (1, 999))
                    ),
                    models.Q(("due_at__isnull", False), ("kind", "scheduled"), ("margin", None), ("verdict", "")),
                    models.Q(("due_at", None), ("kind__in", ["test", "challenge"]), ("margin", None), ("verdict", "")),
                    _connector="OR",
                ),
                name="order_of_its_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="order",
            constraint=models.CheckConstraint(
                condition=models.Q(("blocks_wanted__gte", 1), ("games_wanted__gte", 1)), name="order_wants_blocks"
            ),
        ),
        migrations.AddConstraint(
            model_name="agreement",
            constraint=models.UniqueConstraint(fields=("order", "person"), name="agreement_once_a_person"),
        ),
        migrations.AddConstraint(
            model_name="agreement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("agreed", None), ("answered", None)),
                    models.Q(("agreed__isnull", False), ("answered__isnull", False)),
                    _connector="OR",
                ),
                name="agreement_has_a_time_when_it_is_answered",
            ),
        ),
        migrations.AddConstraint(
            model_name="orderplayer",
            constraint=models.UniqueConstraint(fields=("order", "part", "index"), name="order_player_once_a_place"),
        ),
        migrations.AddConstraint(
            model_name="orderplayer",
            constraint=models.UniqueConstraint(fields=("order", "version"), name="order_player_once_a_version"),
        ),
        migrations.AddConstraint(
            model_name="orderplayer",
            constraint=models.CheckConstraint(
                condition=models.Q(("part__in", ["seat", "candidate", "baseline", "gauntlet"])),
                name="order_player_part_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="pairtally",
            constraint=models.UniqueConstraint(fields=("season", "entry", "opponent"), name="pair_tally_once_a_pair"),
        ),
        migrations.AddConstraint(
            model_name="pairtally",
            constraint=models.CheckConstraint(
                condition=models.Q(("entry", models.F("opponent")), _negated=True), name="pair_tally_is_of_two"
            ),
        ),
        migrations.AddIndex(
            model_name="rebuildrun",
            index=models.Index(fields=["ladder", "-id"], name="rebuild_by_ladder"),
        ),
        migrations.AddConstraint(
            model_name="rebuildrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("purpose__in", ["check", "repair", "correction"])), name="rebuild_purpose_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="rebuildrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("ended__gte", models.F("started"))), name="rebuild_ends_after_it_starts"
            ),
        ),
        migrations.AddConstraint(
            model_name="seattally",
            constraint=models.UniqueConstraint(
                fields=("season", "entry", "version", "seat"), name="seat_tally_once_a_version_and_seat"
            ),
        ),
    ]
