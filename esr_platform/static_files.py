"""Compressed static files with a hash of the content in their names, so that browsers can cache them for a year.

``collectstatic`` writes them, and ``manage.py run`` calls it at every start. Without collected files, as in tests and
with ``DEBUG``, the original files are served under their own names.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.contrib.staticfiles import finders
from whitenoise.storage import CompressedManifestStaticFilesStorage

HASHED: Final = ("esr/", "django_htmx/")
"""Folders whose files refer only to existing files. Some files of other packages refer to missing files."""

_IMPORTS: Final = (
    (r"""(?m)^(?P<matched>import(?P<what>[^'"();]*)["'](?P<url>[./][^"']*)["'])""", 'import%(what)s"%(url)s"'),
    (r"""(?m)^(?P<matched>export(?P<what>[^'"();=]*)["'](?P<url>[./][^"']*)["'])""", 'export%(what)s"%(url)s"'),
)
"""Imports at the beginning of a line. Django's own patterns also match types in comments, which can be circular."""


_SHEETS: Final = ((r"""(?m)^@import "(?P<url>[^"]+)";\n""", _INLINED := "the imported style sheet"),)
"""Imports of style sheets by ``site.css`` and by boards."""


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Adds hashes to the names of files in :data:`HASHED` and to their imports, and compresses all files.

    A style sheet takes the place of its import, so that browsers request one file instead of a chain.
    """

    patterns = (("*.css", _SHEETS), *CompressedManifestStaticFilesStorage.patterns, ("*.js", _IMPORTS))
    max_post_process_passes = 12  # each pass updates one more level of nested imports

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Hash names and compress files. Yield the name, the new name and whether it changed."""
        hashed = {name: path for name, path in paths.items() if name.startswith(HASHED)}
        yield from super().post_process(hashed, dry_run=dry_run, **options)
        if not dry_run:
            others = (name for name in paths if name not in hashed and not self.exists(f"{name}.gz"))
            for name, compressed in self.compress_files(others):
                yield name, compressed, True

    def url_converter(
        self, name: str, hashed_files: dict[str, str], template: str | None = None
    ) -> Callable[[re.Match[str]], str]:
        """Return the replacement of a reference in the file ``name``."""
        if template != _INLINED:
            return super().url_converter(name, hashed_files, template)  # type: ignore[no-any-return]

        def sheet(match: re.Match[str]) -> str:
            with self.open(posixpath.join(posixpath.dirname(name), match["url"])) as file:
                return str(file.read().decode())

        return sheet

    def stored_name(self, name: str) -> str:
        """Return the name with its hash, or ``name`` if no file was collected."""
        return str(self.hashed_files.get(self.hash_key(self.clean_name(name)), name))

    def _stored_name(self, name: str, hashed_files: dict[str, str]) -> str:
        """Like :meth:`stored_name` while files are hashed. References to missing files are not changed."""
        try:
            return str(super()._stored_name(name, hashed_files))
        except ValueError:
            return name


@cache
def imports() -> dict[str, tuple[str, ...]]:
    """Return the names of the modules that each module of the site imports, as they are written in the files."""
    patterns = [re.compile(pattern) for pattern, _ in _IMPORTS]
    graph = {}
    root = Path(str(finders.find("esr")))
    for path in sorted(root.rglob("*.js")):
        name, text = path.relative_to(root.parent).as_posix(), path.read_text(encoding="utf-8")
        urls = [match["url"] for pattern in patterns for match in pattern.finditer(text)]
        graph[name] = tuple(posixpath.normpath(posixpath.join(posixpath.dirname(name), url)) for url in urls)
    return graph


@cache
def imported(*names: str) -> tuple[str, ...]:
    """Return ``names`` and all modules that they import, directly or through others, each once and nearest first."""
    graph, reached = imports(), dict.fromkeys(names)
    waiting = list(names)
    while waiting:
        waiting = [name for module in waiting for name in graph[module] if name not in reached]
        reached |= dict.fromkeys(waiting)
        waiting = list(dict.fromkeys(waiting))
    return tuple(reached)
