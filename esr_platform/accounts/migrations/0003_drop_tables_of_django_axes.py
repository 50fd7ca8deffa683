from typing import Any

from django.db import migrations

TABLES = ("axes_accessattemptexpiration", "axes_accessattempt", "axes_accessfailurelog", "axes_accesslog")


def forget(apps: Any, schema_editor: Any) -> None:
    """Delete the content types of the removed models, with their permissions, and the history of their migrations."""
    alias = schema_editor.connection.alias
    apps.get_model("contenttypes", "ContentType").objects.using(alias).filter(app_label="axes").delete()
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'axes'")


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_tokens"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.RunPython(forget, migrations.RunPython.noop, elidable=True),
        *[
            migrations.RunSQL(f"DROP TABLE IF EXISTS {table}", migrations.RunSQL.noop, elidable=True)
            for table in TABLES
        ],
    ]
