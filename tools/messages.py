"""Gather all translatable messages, update the catalogs of all languages and compile them.

``make messages`` runs this module. It needs Babel and no system packages, and prints how many messages are translated.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from bots.tournaments.formats import FORMATS
from games.game import terms
from games.registry import GAMES

ROOT: Final = Path(__file__).resolve().parent.parent
LOCALES: Final = ROOT / "esr_platform" / "locale"
LANGUAGES: Final[tuple[str, ...]] = ()
PACKAGES: Final = ("games", "bots", "ladder", "esr_platform")
WIDTH: Final = 120
NO_DATE: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""A fixed date, so that the same messages compile to the same bytes."""

OF_GAMES: Final = "games/terms.py"

PYTHON: Final[dict[str, Any]] = {
    **dict.fromkeys(("gettext", "gettext_lazy", "gettext_noop", "_", "Sentence"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
_TEXT: Final = r'"(?:[^"\\\n]|\\.)*"'
JAVASCRIPT: Final = re.compile(rf"\bsay(?:\(\s*({_TEXT})|Count\(\s*({_TEXT}),\s*({_TEXT}))")
"""``say("…"`` and ``sayCount("…", "…"``, also inside the arguments of another call."""

Found = tuple[str, Any, str | None]
"""The file of a message, the message or its plural forms, and its context."""


def pages() -> Iterator[Found]:
    """Yield the messages of templates and Python modules, and the terms of the games."""
    for path in _files("*.html"):
        source = templatize(path.read_text(encoding="utf-8"))
        # Inside brackets, the indentation that the template leaves behind is no syntax error.
        yield from _read(path, f"(\n{source}\n)")
    for path in _files("*.py"):
        source = path.read_text(encoding="utf-8")
        if "gettext" in source or "Sentence(" in source:
            yield from _read(path, source)
    for term in terms(GAMES.values()):
        yield OF_GAMES, term, None
    for rules in FORMATS.values():
        yield from (
            ("bots/tournaments/formats", text, None) for text in (rules.name, rules.summary, rules.ranking) if text
        )


def scripts() -> Iterator[Found]:
    """Yield the messages of scripts, without the terms of the games, which are in the catalog of the pages."""
    known = set(terms(GAMES.values()))
    for path in _files("*.js"):
        source = path.read_text(encoding="utf-8")
        if "words.js" in source:
            place = path.relative_to(ROOT).as_posix()
            yield from ((place, message, None) for message in _messages_of(source) if message not in known)


def _messages_of(source: str) -> Iterator[Any]:
    """Yield the messages of one script, each a text or its two plural forms."""
    for match in JAVASCRIPT.finditer(source):
        forms = tuple(json.loads(text) for text in match.groups() if text is not None)
        if all(forms):
            yield forms if len(forms) > 1 else forms[0]


def _files(pattern: str) -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob(pattern))


def _read(path: Path, source: str) -> Iterator[Found]:
    place = path.relative_to(ROOT).as_posix()
    extracted: Any = extract_python(io.BytesIO(source.encode()), PYTHON, [], {})
    for _, function, messages, _ in extracted:
        parts = messages if isinstance(messages, tuple) else (messages,)
        spec = PYTHON[function] or (1,)
        context = next((parts[at[0] - 1] for at in spec if isinstance(at, tuple)), None)
        forms = tuple(parts[at - 1] for at in spec if isinstance(at, int))
        if all(isinstance(form, str) and form for form in forms):
            yield place, forms if len(forms) > 1 else forms[0], context


def gathered(messages: Iterable[Found]) -> Catalog:
    """A catalog without translations."""
    catalog = Catalog(fuzzy=False, project="Steinreich", charset="utf-8")
    for place, message, context in messages:
        catalog.add(message, locations=[(place, 0)], context=context)
    return catalog


def path_of(language: str, domain: str) -> Path:
    """The path of the catalog of a language and a domain, ``django`` or ``djangojs``."""
    return LOCALES / language / "LC_MESSAGES" / f"{domain}.po"


def read(language: str, domain: str) -> Catalog:
    """The stored catalog of a language, or an empty one."""
    path = path_of(language, domain)
    if not path.exists():
        return Catalog(locale=language, fuzzy=False, charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language)


def updated(language: str, domain: str, template: Catalog) -> Catalog:
    """The catalog of a language with exactly the messages of ``template``; existing translations are kept."""
    catalog = read(language, domain)
    catalog.update(template, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    return catalog


def written(catalog: Catalog) -> bytes:
    """The bytes of a ``.po`` file; the same messages always give the same bytes."""
    file = io.BytesIO()
    write_po(file, catalog, width=WIDTH, omit_header=True, sort_output=True, include_lineno=False)
    language, forms = catalog.locale_identifier, catalog.plural_forms
    head = f"Language: {language}\\nContent-Type: text/plain; charset=utf-8\\nPlural-Forms: {forms}\\n"
    return f'msgid ""\nmsgstr "{head}"\n\n'.encode() + file.getvalue()


def compiled(catalog: Catalog) -> bytes:
    """The bytes of a ``.mo`` file."""
    file = io.BytesIO()
    lean = Catalog(locale=catalog.locale_identifier, fuzzy=False, charset="utf-8", creation_date=NO_DATE)
    for message in catalog:
        if message.id and is_translated(message):
            lean.add(message.id, message.string, context=message.context)
    write_mo(file, lean)
    return file.getvalue()


def is_translated(message: Any) -> bool:
    """Whether every plural form of a message is translated."""
    return all(message.string) if isinstance(message.string, (tuple, list)) else bool(message.string)


def main() -> None:
    for domain, messages in (("django", list(pages())), ("djangojs", list(scripts()))):
        template = gathered(messages)
        sys.stdout.write(f"{domain}: {len(template):,} messages\n")
        for language in LANGUAGES:
            catalog = updated(language, domain, template)
            path = path_of(language, domain)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(written(catalog))
            path.with_suffix(".mo").write_bytes(compiled(catalog))
            translated = sum(is_translated(message) for message in catalog if message.id)
            sys.stdout.write(f"{language} {domain}: {translated:,} of {len(catalog):,} messages translated\n")
    if not LANGUAGES:
        sys.stdout.write("No languages to update: English is the only one.\n")


if __name__ == "__main__":
    main()
