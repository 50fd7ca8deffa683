from django.db import migrations

from esr_platform.schema_changes import ValidateConstraint


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_roles_of_staff"),
    ]

    operations = [
        ValidateConstraint(model_name="user", name="user_flags_follow_from_the_role"),
    ]
