"""``make check`` refuses migrations that block a running site on PostgreSQL or break the release before them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection, connections, migrations, models
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.migrations import Migration, operations
from django.db.migrations.state import ProjectState

from esr_platform import schema_changes
from tests.services.postgres import postgres_server
from tools import check_migrations

pytestmark = pytest.mark.slow

CHECK = models.CheckConstraint(condition=models.Q(score__gte=0), name="score_is_not_negative")
ONCE = models.UniqueConstraint(fields=["name", "score"], name="name_once")
INDEX = models.Index(fields=["name"], name="by_name")
OWNER = {"to": "ladder.owner", "on_delete": models.CASCADE}


def number() -> tuple[str, models.Field[Any, Any]]:
    return "id", models.BigAutoField(primary_key=True)


def site() -> ProjectState:
    """A site with two tables, which hold rows."""
    state = ProjectState()
    game_fields = [
        number(),
        ("name", models.CharField(max_length=20, db_index=True)),
        ("score", models.IntegerField(null=True)),
        ("owner_number", models.BigIntegerField(null=True)),
    ]
    for operation in (
        migrations.CreateModel("owner", [number()]),
        migrations.CreateModel(
            "game", game_fields, options={"indexes": [models.Index(fields=["score"], name="i")], "constraints": [ONCE]}
        ),
    ):
        operation.state_forwards("ladder", state)
    return state


@pytest.fixture(scope="module")
def postgresql() -> Iterator[DatabaseWrapper]:
    with postgres_server() as url:
        address = urlsplit(url)
        settings = {"NAME": address.path[1:], "USER": "esr", "HOST": address.hostname, "PORT": address.port}
        database = DatabaseWrapper({**connection.settings_dict, **settings, "OPTIONS": {}}, "postgresql")
        connections["postgresql"] = database
        yield database
        database.close()
        del connections["postgresql"]


@pytest.fixture
def rules(postgresql: DatabaseWrapper, django_db_blocker: Any) -> Any:
    """Names the rules that a migration with these operations breaks."""

    def rules(*given: operations.base.Operation, atomic: bool = True) -> set[str]:
        migration = Migration("0002_example", "ladder")
        migration.operations, migration.atomic = list(given), atomic
        with django_db_blocker.unblock():
            return {refusal.rule for refusal in check_migrations.refusals(migration, site(), postgresql)}

    return rules


def fill(apps: Any, schema_editor: Any) -> None:
    raise AssertionError("the check applies nothing")


REFUSED = {
    "an index": (migrations.AddIndex("game", INDEX), "require-concurrent-index-creation"),
    "an index of a column": (
        migrations.AlterField("game", "owner_number", models.BigIntegerField(null=True, db_index=True)),
        "require-concurrent-index-creation",
    ),
    "the removal of an index": (migrations.RemoveIndex("game", "i"), "require-concurrent-index-deletion"),
    "a column with a default of Python": (
        migrations.AddField("game", "round", models.IntegerField(default=0)),
        "ban-drop-default",
    ),
    "a column that becomes required": (
        migrations.AlterField("game", "score", models.IntegerField(default=0)),
        "adding-not-nullable-field",
    ),
    "a type": (migrations.AlterField("game", "score", models.BigIntegerField(null=True)), "changing-column-type"),
    "the name of a column": (migrations.RenameField("game", "score", "points"), "renaming-column"),
    "the removal of a column": (migrations.RemoveField("game", "score"), "ban-drop-column"),
    "the name of a table": (migrations.RenameModel("game", "play"), "renaming-table"),
    "the removal of a constraint": (migrations.RemoveConstraint("game", "name_once"), "ban-drop-constraint"),
    "the removal of a table": (migrations.DeleteModel("game"), "ban-drop-table"),
    "a check constraint": (migrations.AddConstraint("game", CHECK), "constraint-missing-not-valid"),
    "a unique constraint": (
        migrations.AddConstraint("game", models.UniqueConstraint(fields=["name"], name="once")),
        "disallowed-unique-constraint",
    ),
    "a unique constraint on some rows": (
        migrations.AddConstraint(
            "game", models.UniqueConstraint(fields=["name"], condition=models.Q(score=0), name="once")
        ),
        "require-concurrent-index-creation",
    ),
    "a foreign key of a full column": (
        migrations.AlterField("game", "owner_number", models.ForeignKey(null=True, db_index=False, **OWNER)),
        "adding-foreign-key-constraint",
    ),
    "the index of a foreign key": (
        migrations.AddField("game", "owner", models.ForeignKey(null=True, **OWNER)),
        "require-concurrent-index-creation",
    ),
    "data by Python": (migrations.RunPython(fill), "data-in-transaction"),
    "data by SQL": (migrations.RunSQL("UPDATE ladder_game SET score = 0"), "data-in-transaction"),
    "an operation inside another": (
        migrations.SeparateDatabaseAndState(database_operations=[migrations.RunPython(fill)]),
        "data-in-transaction",
    ),
}


@pytest.mark.parametrize("change", REFUSED)
def test_it_refuses(change: str, rules: Any) -> None:
    operation, rule = REFUSED[change]
    assert rule in rules(operation)
    assert rule in check_migrations.SAFE_WAYS


ACCEPTED = {
    "an index that is created concurrently": ([schema_changes.AddIndexConcurrently("game", INDEX)], False),
    "an index that is removed concurrently": ([schema_changes.RemoveIndexConcurrently("game", "i")], False),
    "a column that may be null": ([migrations.AddField("game", "round", models.IntegerField(null=True))], True),
    "a column with a default of the database": (
        [migrations.AddField("game", "round", models.IntegerField(db_default=0))],
        True,
    ),
    "an empty foreign key without an index": (
        [migrations.AddField("game", "owner", models.ForeignKey(null=True, db_index=False, **OWNER))],
        True,
    ),
    "a constraint for new rows": ([schema_changes.AddConstraintNotValid("game", CHECK)], True),
    "a column that leaves the state only": (
        [migrations.SeparateDatabaseAndState(state_operations=[migrations.RemoveField("game", "score")])],
        True,
    ),
    "a new table with an index and a foreign key": (
        [
            migrations.CreateModel("note", [number(), ("game", models.ForeignKey("game", on_delete=models.CASCADE))]),
            migrations.AddIndex("note", models.Index(fields=["id", "game"], name="notes")),
            migrations.AddField("note", "owner", models.OneToOneField(**OWNER)),
            migrations.AddField("note", "score", models.IntegerField(default=0)),
            migrations.AddConstraint("note", CHECK),
        ],
        True,
    ),
    "data in portions": ([migrations.RunPython(fill)], False),
}


@pytest.mark.parametrize("change", ACCEPTED)
def test_it_accepts(change: str, rules: Any) -> None:
    given, atomic = ACCEPTED[change]
    assert rules(*given, atomic=atomic) == set()


def test_it_accepts_the_validation_of_a_constraint_in_a_migration_after_it(rules: Any) -> None:
    assert "constraint-missing-not-valid" in rules(
        schema_changes.AddConstraintNotValid("game", CHECK),
        schema_changes.ValidateConstraint("game", CHECK.name),
    )
    added = migrations.SeparateDatabaseAndState(state_operations=[migrations.AddConstraint("game", CHECK)])
    assert rules(added, schema_changes.ValidateConstraint("game", CHECK.name)) == set()


def test_it_refuses_changes_of_other_tables_next_to_a_new_one(rules: Any) -> None:
    created = migrations.CreateModel("note", [number()])
    assert rules(created, migrations.AddIndex("game", INDEX)) == {"require-concurrent-index-creation"}


def test_it_refuses_data_in_one_transaction_of_a_migration_without_one(rules: Any) -> None:
    assert rules(migrations.RunPython(fill, atomic=True), atomic=False) == {"data-in-transaction"}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "tools/check_migrations.py", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(check_migrations.ROOT)}
    return subprocess.run(
        command, cwd=check_migrations.ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_the_command_names_file_rule_and_safe_way_and_fails() -> None:
    done = run("--released", "0013_former_organizers")
    assert done.returncode == 1
    assert "ladder/migrations/0014_table_revision.py: ban-drop-default" in done.stderr
    assert check_migrations.SAFE_WAYS["ban-drop-default"] in done.stderr
    assert "0013_former_organizers" not in done.stderr


def test_the_command_rejects_a_released_migration_that_does_not_exist() -> None:
    assert run("--released", "0013_former").returncode == 2


def test_the_migrations_of_this_checkout_pass() -> None:
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
