from typing import Any

from django.db import migrations, models

from esr_platform.schema_changes import AddConstraintNotValid


def give_roles(apps: Any, schema_editor: Any) -> None:
    """Superusers become site admins, and other staff moderators: no one can do more than before."""
    users = apps.get_model("accounts", "User")._base_manager.using(schema_editor.connection.alias)
    users.filter(is_superuser=True).update(role="admin", is_staff=True)
    users.filter(is_superuser=False, is_staff=True).update(role="moderator")


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0004_user_role"),
    ]

    operations = [
        migrations.RunPython(give_roles, migrations.RunPython.noop, elidable=True),
        AddConstraintNotValid(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("is_staff", False), ("is_superuser", False), ("role", "")),
                    models.Q(("is_staff", True), ("is_superuser", False), ("role__in", ["moderator", "operator"])),
                    models.Q(("is_staff", True), ("is_superuser", True), ("role", "admin")),
                    _connector="OR",
                ),
                name="user_flags_follow_from_the_role",
            ),
        ),
    ]
