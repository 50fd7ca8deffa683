"""Migration operations that do not block games on PostgreSQL.

They extend the operations of the same names in ``django.contrib.postgres`` to SQLite, which has neither
``CONCURRENTLY`` nor ``NOT VALID`` and needs neither. The migrations that contain them have ``atomic = False``.
"""

from __future__ import annotations

from typing import Any

from django.contrib.postgres import operations as postgresql
from django.db.migrations import AddConstraint, AddIndex, RemoveIndex
from django.db.migrations.operations.base import Operation


class _OnBothDatabases(Operation):
    """Run the operation of PostgreSQL there, and the one after it in the order of the base classes elsewhere."""

    postgresql: type[Operation]

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self._operation(schema_editor).database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self._operation(schema_editor).database_backwards(app_label, schema_editor, from_state, to_state)

    def _operation(self, schema_editor: Any) -> Any:
        after = _OnBothDatabases if schema_editor.connection.vendor == "postgresql" else self.postgresql
        return super(after, self)


class AddIndexConcurrently(_OnBothDatabases, postgresql.AddIndexConcurrently, AddIndex):
    """Create an index while the table is read and written."""

    postgresql = postgresql.AddIndexConcurrently


class RemoveIndexConcurrently(_OnBothDatabases, postgresql.RemoveIndexConcurrently, RemoveIndex):
    """Remove an index while the table is read and written."""

    postgresql = postgresql.RemoveIndexConcurrently


class AddConstraintNotValid(_OnBothDatabases, postgresql.AddConstraintNotValid, AddConstraint):
    """Add a check constraint for new and changed rows. On SQLite, it applies to all rows at once."""

    postgresql = postgresql.AddConstraintNotValid


class ValidateConstraint(postgresql.ValidateConstraint):
    """Check the rows that were there before the constraint, while the table is read and written."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
