"""What follows a committed transaction and must not fail it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from django.db import transaction

Given = ParamSpec("Given")


def after_commit(job: Callable[Given, object], *args: Given.args, **kwargs: Given.kwargs) -> None:
    """Call ``job`` once the transaction is committed, at once without one. Its errors are logged and not raised.

    Django alone would raise an ``AttributeError`` for a ``partial`` that fails, because it logs the function's name.
    """

    @wraps(job)
    def run() -> None:
        job(*args, **kwargs)

    transaction.on_commit(run, robust=True)
