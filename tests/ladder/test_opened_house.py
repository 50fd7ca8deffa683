"""The house that tests put into the database is the one that the site opens."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.db import transaction

from ladder.creation import open_house
from tests.build import opened_house

pytestmark = pytest.mark.django_db
_OF_ITS_OWN = {"created", "opened", "seed", "key", "key_hash", "hash", "document", "ledger_head"}


class _Undo(Exception):
    pass


def _everything() -> dict[str, list[dict[str, Any]]]:
    """All rows of our own tables, without what is drawn anew or says when."""
    labels = ("bots", "ladder")
    models = [model for label in labels for model in apps.get_app_config(label).get_models()]
    return {
        model.__name__: [
            {name: value for name, value in row.items() if name not in _OF_ITS_OWN}
            for row in model._base_manager.order_by("pk").values()
        ]
        for model in models
    }


def test_the_house_put_back_is_the_house_that_was_opened() -> None:
    found = []
    for opens in (open_house, opened_house, opened_house):
        try:
            with transaction.atomic():
                opens()
                found.append(_unnumbered(_everything()))
                raise _Undo
        except _Undo:
            pass
    assert found[0] == found[1] == found[2]


def _unnumbered(rows: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Without ids, which depend on what was there before."""
    return {
        name: [{key: value for key, value in row.items() if key != "id" and not key.endswith("_id")} for row in some]
        for name, some in rows.items()
    }
