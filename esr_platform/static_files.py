"""Compressed static files with a hash of the content in their names, so that browsers can cache them for a year.

``collectstatic`` writes them, and ``manage.py run`` calls it at every start. Without collected files, as in tests and
with ``DEBUG``, the original files are served under their own names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from whitenoise.storage import CompressedManifestStaticFilesStorage

HASHED: Final = ("esr/", "django_htmx/")
"""Folders whose files refer only to existing files. Some files of other packages refer to missing files."""

_IMPORTS: Final = (
    (r"""(?m)^(?P<matched>import(?P<what>[^'"();]*)["'](?P<url>[./][^"']*)["'])""", 'import%(what)s"%(url)s"'),
    (r"""(?m)^(?P<matched>export(?P<what>[^'"();=]*)["'](?P<url>[./][^"']*)["'])""", 'export%(what)s"%(url)s"'),
)
"""Imports at the beginning of a line. Django's own patterns also match types in comments, which can be circular."""


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Adds hashes to the names of files in :data:`HASHED` and to their imports, and compresses all files."""

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("*.js", _IMPORTS))
    max_post_process_passes = 12  # each pass updates one more level of nested imports

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Hash names and compress files. Yield the name, the new name and whether it changed."""
        hashed = {name: path for name, path in paths.items() if name.startswith(HASHED)}
        yield from super().post_process(hashed, dry_run=dry_run, **options)
        if not dry_run:
            others = (name for name in paths if name not in hashed and not self.exists(f"{name}.gz"))
            for name, compressed in self.compress_files(others):
                yield name, compressed, True

    def stored_name(self, name: str) -> str:
        """Return the name with its hash, or ``name`` if no file was collected."""
        return str(self.hashed_files.get(self.hash_key(self.clean_name(name)), name))

    def _stored_name(self, name: str, hashed_files: dict[str, str]) -> str:
        """Like :meth:`stored_name` while files are hashed. References to missing files are not changed."""
        try:
            return str(super()._stored_name(name, hashed_files))
        except ValueError:
            return name
