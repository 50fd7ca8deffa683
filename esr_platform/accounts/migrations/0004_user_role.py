from django.db import migrations, models

import esr_platform.accounts.models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_drop_tables_of_django_axes"),
    ]

    operations = [
        migrations.AlterModelManagers(
            name="user",
            managers=[
                ("objects", esr_platform.accounts.models.RoleManager()),
            ],
        ),
        migrations.AddField(
            model_name="user",
            name="role",
            field=models.CharField(
                blank=True,
                choices=[("moderator", "Moderator"), ("operator", "Operator"), ("admin", "Site admin")],
                db_default="",
                default="",
                editable=False,
                max_length=10,
            ),
        ),
    ]
