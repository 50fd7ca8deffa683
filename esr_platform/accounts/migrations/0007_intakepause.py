import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_check_roles"),
    ]

    operations = [
        migrations.CreateModel(
            name="IntakePause",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("uploads", "Uploads"), ("sign-ups", "Sign-ups"), ("guests", "Guests")],
                        max_length=10,
                        unique=True,
                    ),
                ),
                ("reason", models.CharField(max_length=500)),
                ("since", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["kind"],
            },
        ),
    ]
