"""Several steps of the site's upkeep in one task: a message costs more than most of the steps while nothing happens."""

from __future__ import annotations

import logging
from collections.abc import Callable

logger = logging.getLogger(__name__)


def each_of(*steps: Callable[[], object]) -> None:
    """Do each step, also after one that fails. Raises the first failure at the end, so that the task has failed."""
    failures: list[Exception] = []
    for step in steps:
        try:
            step()
        except Exception as error:  # raised below
            if failures:
                logger.exception("%s.%s failed as well", step.__module__, step.__qualname__)
            failures.append(error)
    if failures:
        raise failures[0]
