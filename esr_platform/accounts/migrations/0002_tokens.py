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
        migrations.CreateModel(
            name="Token",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tokens", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("name", models.CharField(help_text="name given by the owner", max_length=60)),
                ("hint", models.CharField(help_text="start of the secret, to tell tokens apart", max_length=12)),
                ("digest", models.CharField(help_text="SHA-256 of the secret, hex", max_length=64, unique=True)),
                ("scopes", models.JSONField(default=list, help_text="a list of scopes")),
                (
                    "bot",
                    models.ForeignKey(
                        blank=True,
                        help_text="the remote bot that the token is limited to",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tokens",
                        to="bots.bot",
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("last_used", models.DateTimeField(blank=True, null=True)),
                ("expires", models.DateTimeField(blank=True, null=True)),
                ("revoked", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created", "-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(django.db.models.functions.text.Length("digest"), 64),
                        name="token_digest_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("bot", None), ("scopes", ["play"]), _connector="OR"),
                        name="token_of_a_bot_can_only_play",
                    ),
                ],
            },
        ),
    ]
