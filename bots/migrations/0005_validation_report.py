from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("bots", "0004_validation_names")]
    operations = [migrations.RenameField("botversion", "check_report", "validation_report")]
