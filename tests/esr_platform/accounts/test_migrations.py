"""What the migrations of accounts do to the database of an older site."""

from __future__ import annotations

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder


@pytest.mark.django_db(transaction=True)
def test_an_older_site_loses_the_tables_of_django_axes_and_no_others() -> None:
    others = set(connection.introspection.table_names())
    MigrationExecutor(connection).migrate([("accounts", "0002_tokens")])
    recorder = MigrationRecorder(connection)
    recorder.record_applied("axes", "0001_initial")
    ContentType.objects.create(app_label="axes", model="accesslog")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE axes_accessattempt (id integer PRIMARY KEY)")
        cursor.execute(
            "CREATE TABLE axes_accessattemptexpiration"
            " (id integer PRIMARY KEY REFERENCES axes_accessattempt (id) DEFERRABLE INITIALLY DEFERRED)"
        )
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    assert set(connection.introspection.table_names()) == others
    assert not ContentType.objects.filter(app_label="axes").exists()
    assert not [name for name in recorder.applied_migrations() if name[0] == "axes"]
