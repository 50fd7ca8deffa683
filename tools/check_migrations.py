"""Refuse migrations that block games on PostgreSQL, or that the release before them cannot live with.

``squawk`` reads the SQL of each migration that is not yet released. Operations without SQL are judged here. A server is
started only if there are such migrations: Django needs one to write the SQL.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db.migrations import Migration, RunPython, RunSQL, SeparateDatabaseAndState
from django.db.migrations.operations.base import Operation

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "ladder" / "migrations"

RELEASED = "0018_returned_attempts_and_rechecks"
"""The last migration that is released, or older than this check. Those after it are read; a release moves it."""

REVIEWED: dict[tuple[str, str], str] = {
    ("0019_pauses_of_ladders", "require-concurrent-index-creation"): "The table has a row per action of the staff.",
    ("0019_pauses_of_ladders", "ban-drop-constraint"): "Others with the same effect on old actions replace them first.",
}
"""Reasons why a migration may break a rule: ``{("0020_drop_note", "ban-drop-column"): "1.2.0 no longer reads it"}``."""

SAFE_WAYS = {
    "adding-foreign-key-constraint": "add a new, empty column with the foreign key (null=True, db_index=False)",
    "adding-not-nullable-field": "keep null=True, and add a check constraint with AddConstraintNotValid",
    "ban-drop-column": "remove the field from the state only, and drop the column one release later",
    "ban-drop-constraint": "if the running release does not rely on it, say so in REVIEWED",
    "ban-drop-default": "set db_default, so that the running release can insert rows",
    "ban-drop-table": "delete the model from the state only, and drop the table one release later",
    "changing-column-type": "add a new column, copy the values, and remove the old column one release later",
    "constraint-missing-not-valid": "for a check, AddConstraintNotValid, and ValidateConstraint in the next migration",
    "data-in-transaction": "set atomic = False and change the rows in portions, so that each is locked only briefly",
    "disallowed-unique-constraint": "create a unique index CONCURRENTLY, and the constraint USING INDEX",
    "renaming-column": "keep the column: rename the field in the state only, with db_column",
    "renaming-table": "keep the table: rename the model in the state only, with db_table",
    "require-concurrent-index-creation": "AddIndexConcurrently (db_index=False for a foreign key), atomic = False",
    "require-concurrent-index-deletion": "RemoveIndexConcurrently, atomic = False",
}
"""What to write instead of an operation that breaks a rule. The names are those of squawk, except for the data rule."""

NOT_APPLIED = (
    "prefer-bigint-over-int",  # these rules are about taste, and Django chooses the types
    "prefer-bigint-over-smallint",
    "prefer-identity",
    "prefer-text-field",
    "prefer-timestamp-tz",
    "prefer-robust-stmts",  # Django records which migrations are applied
    "require-lock-timeout",  # settings of a connection are not part of a migration
    "require-statement-timeout",
)
OLDEST_SERVER = "14"  # of those that Django 5.2 supports

_NEW_TABLE = re.compile(r"^CREATE TABLE (\S+)", re.MULTILINE)
_CHANGED_TABLE = re.compile(r"(?:ALTER TABLE|CREATE (?:UNIQUE )?INDEX \S+ ON) (\S+)")
# PostgreSQL does not read the rows for the foreign key of a new column in which all values are null.
_EMPTY_COLUMN = re.compile(r'ALTER TABLE \S+ ADD COLUMN "\w+" [\w ]+ NULL CONSTRAINT \S+ REFERENCES ')


@dataclass(frozen=True)
class Refusal:
    """An operation that ``rule`` forbids: what it does to a running site, and its SQL or name."""

    rule: str
    reason: str
    operation: str

    def __str__(self) -> str:
        lines = [f"{self.rule}: {self.reason}", self.operation]
        if self.rule in SAFE_WAYS:
            lines.append(f"Instead: {SAFE_WAYS[self.rule]}.")
        return "\n    ".join(lines)


def refusals(migration: Migration, before: Any, connection: Any) -> Iterator[Refusal]:
    """Judge a migration, which nothing applies.

    ``before`` is the ``ProjectState`` that it starts from, and ``connection`` leads to an empty PostgreSQL database.
    """
    for operation in _database_operations(migration.operations):
        if isinstance(operation, RunPython | RunSQL) and (migration.atomic or operation.atomic):
            reason = "All rows that it changes stay locked until the whole migration ends."
            yield Refusal("data-in-transaction", reason, operation.describe())
    written = copy.deepcopy(migration)
    written.operations = _without_python(written.operations)
    with connection.schema_editor(collect_sql=True, atomic=migration.atomic) as editor:
        written.apply(before.clone(), editor, collect_sql=True)
    yield from _refused_sql("\n".join(editor.collected_sql), in_transaction=migration.atomic)


def _refused_sql(sql: str, *, in_transaction: bool) -> Iterator[Refusal]:
    command = ["squawk", "--reporter=json", f"--pg-version={OLDEST_SERVER}", "--stdin-filepath=migration.sql"]
    command += [f"--exclude={rule}" for rule in NOT_APPLIED]
    command += ["--assume-in-transaction"] if in_transaction else []
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    try:
        done = subprocess.run(command, input=sql, env=environment, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise SystemExit("squawk is not installed. Run `make check`, which installs it.") from None
    if done.returncode not in (0, 1) or done.stderr:
        raise SystemExit(f"squawk failed: {done.stderr}")
    lines = sql.splitlines()
    new_tables = set(_NEW_TABLE.findall(sql))
    for found in json.loads(done.stdout):
        line = lines[found["line"]]
        changed = _CHANGED_TABLE.match(line)
        if changed and changed[1] in new_tables:  # squawk only knows this of some changes
            continue
        if not (found["rule_name"] == "adding-foreign-key-constraint" and _EMPTY_COLUMN.match(line)):
            yield Refusal(found["rule_name"], found["message"], line)


def _database_operations(operations: Iterable[Operation]) -> Iterator[Operation]:
    for operation in operations:
        if isinstance(operation, SeparateDatabaseAndState):
            yield from _database_operations(operation.database_operations)
        else:
            yield operation


def _without_python(operations: Iterable[Operation]) -> list[Operation]:
    """The operations that Django can write as SQL. It would run those in ``SeparateDatabaseAndState`` instead."""
    kept = [operation for operation in operations if operation.reduces_to_sql]
    for operation in kept:
        if isinstance(operation, SeparateDatabaseAndState):
            operation.database_operations = _without_python(operation.database_operations)
    return kept


def check(names: list[str], reviewed: dict[tuple[str, str], str]) -> Iterator[str]:
    """Yield a text for each refusal that is not reviewed, and for each review without a refusal."""
    import django
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader

    django.setup()
    loader = MigrationLoader(connection)
    unused = set(reviewed)
    for name in names:
        migration = loader.get_migration("ladder", name)
        for refusal in refusals(migration, loader.project_state(("ladder", name), at_end=False), connection):
            if (name, refusal.rule) not in reviewed:
                yield f"{FOLDER.relative_to(ROOT) / name}.py: {refusal}"
            unused.discard((name, refusal.rule))
    yield from (f"REVIEWED names {rule} of {name}, which does not break it or is released." for name, rule in unused)


def main() -> int:
    parser = argparse.ArgumentParser(description="Refuse migrations that block a running site.")
    parser.add_argument("--released", default=RELEASED, metavar="NAME", help=f"last released one (default: {RELEASED})")
    released = parser.parse_args().released
    if not (FOLDER / f"{released}.py").exists():
        parser.error(f"{FOLDER.relative_to(ROOT)} contains no {released}.py.")
    names = sorted(path.stem for path in FOLDER.glob("[0-9]*.py") if path.stem > released)
    if not names and not REVIEWED:
        return 0
    from tests.services.postgres import postgres_server

    os.environ["DJANGO_SETTINGS_MODULE"] = "esr_platform.settings"
    with postgres_server() as url:
        os.environ["DATABASE_URL"] = url
        refused = list(check(names, REVIEWED))
    for text in refused:
        print(text, file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
