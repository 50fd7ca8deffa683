from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0003_version_notices"),
    ]

    operations = [
        migrations.RenameField(model_name="botversion", old_name="claims", new_name="formats"),
        migrations.RenameField(model_name="botversion", old_name="checked", new_name="validated"),
    ]
