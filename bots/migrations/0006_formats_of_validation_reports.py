from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def rename_tables_to_formats(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """Rename the key ``tables`` of stored reports, and add the keys that older reports lack."""
    versions = apps.get_model("bots", "BotVersion").objects
    for version in versions.exclude(validation_report=None).iterator(100):
        report = version.validation_report
        formats = [_whole(result) for result in report.pop("tables", report.pop("formats", []))]
        version.validation_report = {"attempts": [], "undecided": 0, **report, "now": None, "formats": formats}
        version.save(update_fields=["validation_report"])


def _whole(result: dict[str, Any]) -> dict[str, Any]:
    result.pop("more_problems", None)
    return {"own_ms": result["wall_ms"], "lag_us": 0, "shares": {}, "warnings": [], "delays": [], "tries": 1, **result}


class Migration(migrations.Migration):
    dependencies = [("bots", "0005_validation_report")]
    operations = [migrations.RunPython(rename_tables_to_formats, migrations.RunPython.noop)]
