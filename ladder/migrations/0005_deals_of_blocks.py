import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ladder", "0004_carry_over"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="match",
            name="match_seed_has_32_bytes",
        ),
        migrations.RemoveConstraint(
            model_name="match",
            name="match_commitment_is_sha256",
        ),
        migrations.RemoveField(
            model_name="match",
            name="commitment",
        ),
        migrations.RemoveField(
            model_name="match",
            name="seed",
        ),
        migrations.AlterField(
            model_name="ledgerentry",
            name="document",
            field=models.JSONField(),
        ),
        migrations.AlterField(
            model_name="ledgerentry",
            name="hash",
            field=models.CharField(max_length=64),
        ),
        migrations.AlterField(
            model_name="ledgerentry",
            name="season",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="ledger", to="ladder.season"
            ),
        ),
        migrations.AlterField(
            model_name="match",
            name="block",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="matches", to="ladder.block"
            ),
        ),
    ]
