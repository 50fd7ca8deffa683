"""A pseudo-locale: every message of the pages, marked and 30% longer, as a language that tests can choose.

It shows which texts are translatable, how a page copes with longer texts, and that the plumbing of languages works,
without a real translation. ``Create token`` becomes ``[Crêâtê tôkên ~~]``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog

from tools import messages

CODE: Final = "la"
"""Latin: browsers and axe accept it as the language of a page, and Django has no messages in it."""
NAME: Final = "[Ënglîsh ~~]"

GROWTH: Final = 0.3
"""The added share of a text's length, as German adds to English."""

_LETTERS: Final = str.maketrans("aeiouAEIOU", "âêîôûÄËÏÖÜ")
_KEPT: Final = re.compile(r"(%\(\w+\)[sd]|%%|%[sd]|\{\w*\}|<[^>]*>|&\w+;|&#\d+;)")
"""Placeholders, tags and entities."""
_PAD: Final = 6
"""The longest added word, in characters."""


def pseudo(text: str) -> str:
    """A text in the pseudo-locale, with its placeholders, tags, entities, last mark and outer white space."""
    words = text.strip().rstrip(".:!?…")
    start = text.index(words)
    parts = _KEPT.split(words)
    if not any(map(str.isalpha, "".join(parts[::2]))):
        return text
    parts[::2] = [part.translate(_LETTERS) for part in parts[::2]]
    missing = max(1, round(GROWTH * sum(map(len, parts[::2]))) - len("[]"))
    padding = " ".join("~" * min(_PAD, missing - at) for at in range(0, missing, _PAD))
    gap = " " if " " in words else ""  # the only word of a text becomes one longer word
    return f"{text[:start]}[{''.join(parts)}{gap}{padding}]{text[start + len(words) :]}"


def write_catalogs(folder: Path) -> None:
    """Gather all messages of templates, Python and scripts, and compile them under ``folder``, a ``LOCALE_PATHS``."""
    target = folder / CODE / "LC_MESSAGES"
    target.mkdir(parents=True)
    for domain, found_messages in (("django", messages.pages()), ("djangojs", messages.scripts())):
        catalog = Catalog(locale="en", fuzzy=False, charset="utf-8")
        for message in messages.gathered(found_messages):
            if message.id:
                forms = message.id if isinstance(message.id, (tuple, list)) else (message.id,)
                translated = tuple(map(pseudo, forms))
                catalog.add(message.id, translated if len(translated) > 1 else translated[0], context=message.context)
        (target / f"{domain}.mo").write_bytes(messages.compiled(catalog))
