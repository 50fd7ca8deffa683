"""Migrations can add and remove indexes and constraints on both databases, also where rows are."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, migrations, models, transaction
from django.db.migrations import Migration, operations
from django.db.migrations.state import ProjectState

from esr_platform import schema_changes

INDEX = models.Index(fields=["score"], name="shelf_by_score")
CHECK = models.CheckConstraint(condition=models.Q(score__gte=0), name="score_is_not_negative")


class Site:
    """A table with a row, and the migrations that were applied to it."""

    def __init__(self) -> None:
        self.state = ProjectState()
        fields = [("id", models.BigAutoField(primary_key=True)), ("score", models.IntegerField())]
        self.migrate(migrations.CreateModel("shelf", fields))
        self.rows.create(score=1)

    @property
    def rows(self) -> Any:
        return self.state.apps.get_model("ladder", "shelf").objects

    def migrate(self, *given: operations.base.Operation) -> None:
        self.last = Migration("0002_example", "ladder")
        self.last.operations = list(given)
        self.before = self.state.clone()
        with connection.schema_editor(atomic=False) as editor:
            self.state = self.last.apply(self.state, editor)

    def migrate_back(self) -> None:
        with connection.schema_editor(atomic=False) as editor:
            self.last.unapply(self.before.clone(), editor)
        self.state = self.before

    def constraints(self) -> set[str]:
        with connection.cursor() as cursor:
            return set(connection.introspection.get_constraints(cursor, "ladder_shelf"))


@pytest.fixture
def site(transactional_db: None) -> Any:
    site = Site()
    yield site
    with connection.schema_editor() as editor:
        editor.delete_model(site.rows.model)


def test_an_index_is_added_and_removed(site: Site) -> None:
    site.migrate(schema_changes.AddIndexConcurrently("shelf", INDEX))
    assert INDEX.name in site.constraints()
    site.migrate_back()
    assert INDEX.name not in site.constraints()
    site.migrate(schema_changes.AddIndexConcurrently("shelf", INDEX))
    site.migrate(schema_changes.RemoveIndexConcurrently("shelf", INDEX.name))
    assert INDEX.name not in site.constraints()
    site.migrate_back()
    assert INDEX.name in site.constraints()


def test_a_constraint_is_added_validated_and_removed(site: Site) -> None:
    site.migrate(schema_changes.AddConstraintNotValid("shelf", CHECK))
    with pytest.raises(IntegrityError), transaction.atomic():
        site.rows.create(score=-1)
    added, before = site.last, site.before
    site.migrate(schema_changes.ValidateConstraint("shelf", CHECK.name))
    assert CHECK.name in site.constraints()
    site.migrate_back()
    site.last, site.before = added, before
    site.migrate_back()
    site.rows.create(score=-1)
