import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="User",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined")),
                ("wants_digests", models.BooleanField(default=True, help_text="whether to send the daily email")),
                ("chat", models.BooleanField(db_default=True, default=True, help_text="whether chat at tables is on")),
                (
                    "next_digest",
                    models.DateTimeField(blank=True, editable=False, help_text="no digest is sent before", null=True),
                ),
                (
                    "told_until",
                    models.DateTimeField(
                        blank=True, editable=False, help_text="news up to this time were sent", null=True
                    ),
                ),
                (
                    "feed_epoch",
                    models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="an increment invalidates the URL of the private feed",
                    ),
                ),
                (
                    "terms_version",
                    models.CharField(blank=True, editable=False, help_text="last accepted version", max_length=20),
                ),
                ("terms_accepted", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "session_epoch",
                    models.PositiveIntegerField(default=0, editable=False, help_text="an increment ends all sessions"),
                ),
                ("suspended", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "suspension_reason",
                    models.CharField(blank=True, editable=False, help_text="reason for the user", max_length=500),
                ),
                (
                    "deleted",
                    models.DateTimeField(
                        blank=True, editable=False, help_text="time of deletion by the owner", null=True
                    ),
                ),
                (
                    "erased",
                    models.DateTimeField(
                        blank=True, editable=False, help_text="time when all data was erased", null=True
                    ),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("username"), name="username_once_whatever_the_case"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("suspended__isnull", True), ("suspension_reason", "")),
                            models.Q(
                                ("is_active", False),
                                ("suspended__isnull", False),
                                models.Q(("suspension_reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="user_suspended_says_why_and_opens_nothing",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("deleted__isnull", True), ("erased__isnull", True)),
                            models.Q(
                                ("deleted__isnull", False),
                                ("email", ""),
                                ("is_active", False),
                                ("is_staff", False),
                                ("is_superuser", False),
                            ),
                            _connector="OR",
                        ),
                        name="user_deleted_opens_nothing",
                    ),
                ],
            },
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="FormerName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("digest"), 64),
                        name="former_name_is_sha256",
                    )
                ],
            },
        ),
    ]
