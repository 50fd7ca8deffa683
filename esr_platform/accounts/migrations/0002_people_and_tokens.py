import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_initial"),
        ("bots", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="token",
            name="bot",
            field=models.ForeignKey(
                blank=True,
                help_text="the remote bot that the token is limited to",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="tokens",
                to="bots.bot",
            ),
        ),
        migrations.AddField(
            model_name="token",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="tokens", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.UniqueConstraint(
                django.db.models.functions.text.Lower("username"), name="username_once_whatever_the_case"
            ),
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
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
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
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
        ),
        migrations.AddConstraint(
            model_name="token",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("digest"), 64),
                name="token_digest_is_sha256",
            ),
        ),
        migrations.AddConstraint(
            model_name="token",
            constraint=models.CheckConstraint(
                condition=models.Q(("bot", None), ("scopes", ["play"]), _connector="OR"),
                name="token_of_a_bot_can_only_play",
            ),
        ),
    ]
