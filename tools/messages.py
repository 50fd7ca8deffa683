"""Gathers every text of the pages that can be translated into the catalogues of the languages, and compiles them.

``make messages`` runs it; it needs Babel and nothing of the system. What has no translation yet is counted at the end.
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

from games.game import terms
from games.registry import GAMES

ROOT: Final = Path(__file__).resolve().parent.parent
LOCALES: Final = ROOT / "esr_platform" / "locale"
LANGUAGES: Final[tuple[str, ...]] = ()
PACKAGES: Final = ("games", "bots", "ladder", "esr_platform")
WIDTH: Final = 120
NO_DATE: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""What is compiled from the same texts has the same bytes."""

OF_GAMES: Final = "games/terms.py"

PYTHON: Final[dict[str, Any]] = {
    **dict.fromkeys(("gettext", "gettext_lazy", "gettext_noop", "_", "Sentence"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
_TEXT: Final = r'"(?:[^"\\\n]|\\.)*"'
JAVASCRIPT: Final = re.compile(rf"\bsay(?:\(\s*({_TEXT})|Count\(\s*({_TEXT}),\s*({_TEXT}))")
"""``say("…"`` and ``sayCount("…", "…"``, also where one stands in the brackets of another."""

Found = tuple[str, Any, str | None]
"""Where a text stands, the text or its forms, and its context."""


def pages() -> Iterator[Found]:
    """The texts of templates and of Python modules, and the terms of the games."""
    for path in _files("*.html"):
        source = templatize(path.read_text(encoding="utf-8"))
        # In brackets the indentation of what is no longer a template does not matter to a reader of Python.
        yield from _read(path, f"(\n{source}\n)")
    for path in _files("*.py"):
        source = path.read_text(encoding="utf-8")
        if "gettext" in source or "Sentence(" in source:
            yield from _read(path, source)
    for term in terms(GAMES.values()):
        yield OF_GAMES, term, None


def scripts() -> Iterator[Found]:
    """The texts of the pages' scripts but for the terms of the games, which they have from the pages' catalogue."""
    known = set(terms(GAMES.values()))
    for path in _files("*.js"):
        source = path.read_text(encoding="utf-8")
        if "words.js" in source:
            place = path.relative_to(ROOT).as_posix()
            yield from ((place, said, None) for said in _said(source) if said not in known)


def _said(source: str) -> Iterator[Any]:
    """The texts of a script, each a text or its two forms."""
    for found in JAVASCRIPT.finditer(source):
        forms = tuple(json.loads(text) for text in found.groups() if text is not None)
        if all(forms):
            yield forms if len(forms) > 1 else forms[0]


def _files(pattern: str) -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob(pattern))


def _read(path: Path, source: str) -> Iterator[Found]:
    place = path.relative_to(ROOT).as_posix()
    found: Any = extract_python(io.BytesIO(source.encode()), PYTHON, [], {})
    for _, function, messages, _ in found:
        parts = messages if isinstance(messages, tuple) else (messages,)
        spec = PYTHON[function] or (1,)
        context = next((parts[at[0] - 1] for at in spec if isinstance(at, tuple)), None)
        forms = tuple(parts[at - 1] for at in spec if isinstance(at, int))
        if all(isinstance(form, str) and form for form in forms):
            yield place, forms if len(forms) > 1 else forms[0], context


def gathered(found: Iterable[Found]) -> Catalog:
    """A catalogue without translations."""
    catalog = Catalog(fuzzy=False, project="Steinreich", charset="utf-8")
    for place, message, context in found:
        catalog.add(message, locations=[(place, 0)], context=context)
    return catalog


def path_of(language: str, domain: str) -> Path:
    """Where the translations of a domain, ``django`` or ``djangojs``, into a language lie."""
    return LOCALES / language / "LC_MESSAGES" / f"{domain}.po"


def read(language: str, domain: str) -> Catalog:
    """The catalogue of a language as it is; an empty one where there is none yet."""
    path = path_of(language, domain)
    if not path.exists():
        return Catalog(locale=language, fuzzy=False, charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language)


def updated(language: str, domain: str, template: Catalog) -> Catalog:
    """The catalogue of a language with exactly the texts of ``template``; what it had of them is kept."""
    catalog = read(language, domain)
    catalog.update(template, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    return catalog


def written(catalog: Catalog) -> bytes:
    """A catalogue as its file has it; the same texts always give the same bytes."""
    file = io.BytesIO()
    write_po(file, catalog, width=WIDTH, omit_header=True, sort_output=True, include_lineno=False)
    language, forms = catalog.locale_identifier, catalog.plural_forms
    head = f"Language: {language}\\nContent-Type: text/plain; charset=utf-8\\nPlural-Forms: {forms}\\n"
    return f'msgid ""\nmsgstr "{head}"\n\n'.encode() + file.getvalue()


def compiled(catalog: Catalog) -> bytes:
    """What ``gettext`` reads."""
    file = io.BytesIO()
    lean = Catalog(locale=catalog.locale_identifier, fuzzy=False, charset="utf-8", creation_date=NO_DATE)
    for message in catalog:
        if message.id and is_translated(message):
            lean.add(message.id, message.string, context=message.context)
    write_mo(file, lean)
    return file.getvalue()


def is_translated(message: Any) -> bool:
    """Whether every form of a message says something."""
    return all(message.string) if isinstance(message.string, (tuple, list)) else bool(message.string)


def main() -> None:
    for domain, found in (("django", list(pages())), ("djangojs", list(scripts()))):
        for language in LANGUAGES:
            catalog = updated(language, domain, gathered(found))
            path = path_of(language, domain)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(written(catalog))
            path.with_suffix(".mo").write_bytes(compiled(catalog))
            said = sum(is_translated(message) for message in catalog if message.id)
            sys.stdout.write(f"{language} {domain}: {said} of {len(catalog)} texts are translated\n")


if __name__ == "__main__":
    main()
