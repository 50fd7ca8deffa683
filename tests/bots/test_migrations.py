"""What the migrations of bots do to the database of an older site."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from bots import reports
from bots.models import BotVersion
from tests.build import person, uploaded


@pytest.mark.django_db(transaction=True)
def test_a_report_of_an_older_site_gets_the_keys_of_today() -> None:
    version = uploaded(person("ann"), "First").versions.get()
    old = {"game": "edel-stein-reich", "seats": 3, "ok": True, "ready_us": 41_000, "decisions": 50, "wall_ms": 1900}
    report = {"ok": True, "now": None, "tables": [{**old, "more_problems": 0}], "untried": []}
    executor = MigrationExecutor(connection)
    executor.migrate([("bots", "0005_validation_report")])
    BotVersion.objects.filter(pk=version.pk).update(validation_report=report)
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    version.refresh_from_db()
    assert version.validation_report is not None
    (result,) = version.validation_report["formats"]
    assert result.items() >= old.items()
    assert version.validation_report.keys() == reports.begun({}).keys()
    assert (reports.own_ms(version.validation_report), reports.warnings(version.validation_report)) == (1900, {})
