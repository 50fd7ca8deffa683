from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def find_users(apps: Any, _: Any) -> None:
    """Read from the reasons of canceled exhibitions which user ended them. Usernames are unique."""
    exhibitions = apps.get_model("ladder", "Exhibition").objects.filter(state="cancelled", ended_by=None)
    users = apps.get_model(*settings.AUTH_USER_MODEL.split(".")).objects
    for exhibition in exhibitions.only("pk", "reason").iterator():
        reason = exhibition.reason
        name = reason.removeprefix("Canceled by ").removesuffix(".")
        if name == reason.removesuffix("."):
            name = reason.removesuffix(" declined.")
        if name != reason and (user := users.filter(username__iexact=name).first()):
            exhibitions.filter(pk=exhibition.pk).update(ended_by=user)


class Migration(migrations.Migration):
    dependencies = [
        ("ladder", "0002_attempt_endings"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="exhibition",
            name="ended_by",
            field=models.ForeignKey(
                blank=True,
                help_text="the user who canceled or declined it",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(find_users, migrations.RunPython.noop),
    ]
