"""What somebody may say at a table, for the page that holds it."""

from __future__ import annotations

from collections.abc import Sequence

from esr_platform.accounts.models import User
from ladder.chat import LONGEST, PRESETS

__all__ = ["LONGEST", "presets", "talk_of"]


def talk_of(person: User | None, rated: bool, people: int) -> str:
    """``lines``, ``presets`` at rated tables, ``off`` for who has switched it off; empty for guests.

    Empty, too, at a table of one person: ``people`` is how many sit there.
    """
    if person is None or people < 2:
        return ""
    if not person.chat:
        return "off"
    return "presets" if rated else "lines"


def presets() -> Sequence[tuple[str, str]]:
    """The ready-made sentences by name, in the reader's language."""
    return [(name, str(words)) for name, words in PRESETS.items()]
