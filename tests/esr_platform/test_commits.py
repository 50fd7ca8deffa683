"""What follows a commit can fail without failing the transaction."""

from __future__ import annotations

import pytest
from django.db import transaction

from esr_platform.commits import after_commit


def fail(what: str) -> None:
    raise ValueError(what)


@pytest.mark.django_db(transaction=True)
def test_an_error_after_a_commit_is_logged_and_not_raised(caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []
    with transaction.atomic():
        after_commit(fail, "no reason")
        after_commit(done.append, "the next job")
        assert done == []
    assert done == ["the next job"]
    after_commit(fail, "no transaction")
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]
    assert "no reason" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_nothing_follows_a_transaction_that_is_rolled_back() -> None:
    done: list[str] = []
    with transaction.atomic():
        after_commit(done.append, "never")
        transaction.set_rollback(True)
    assert done == []
