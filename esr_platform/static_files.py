"""Static files under names with a hash of their content, compressed: a browser keeps them for a year.

``collectstatic`` writes them, and ``manage.py run`` calls it at every start. Where nothing was collected, as in tests
and under ``DEBUG``, files keep their names and are served as they lie.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from whitenoise.storage import CompressedManifestStaticFilesStorage

HASHED: Final = ("esr/", "django_htmx/")
"""Folders whose files name only files that exist. Some files of other packages do not."""

_IMPORTS: Final = (
    (r"""(?m)^(?P<matched>import(?P<what>[^'"();]*)["'](?P<url>[./][^"']*)["'])""", 'import%(what)s"%(url)s"'),
    (r"""(?m)^(?P<matched>export(?P<what>[^'"();=]*)["'](?P<url>[./][^"']*)["'])""", 'export%(what)s"%(url)s"'),
)
"""Imports at the beginning of a line. Django's own patterns also take types in comments, which may go in circles."""


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Hashes the names of files in :data:`HASHED`, also in what they import, and compresses everything."""

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("*.js", _IMPORTS))
    max_post_process_passes = 12  # each brings a name one import further: modules import modules that import modules

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Hash the names in :data:`HASHED` and compress everything. Yield name, new name and whether it changed."""
        hashed = {name: path for name, path in paths.items() if name.startswith(HASHED)}
        yield from super().post_process(hashed, dry_run=dry_run, **options)
        if not dry_run:
            others = (name for name in paths if name not in hashed and not self.exists(f"{name}.gz"))
            for name, compressed in self.compress_files(others):
                yield name, compressed, True

    def stored_name(self, name: str) -> str:
        """The name with its hash, or ``name`` where none was collected."""
        return str(self.hashed_files.get(self.hash_key(self.clean_name(name)), name))

    def _stored_name(self, name: str, hashed_files: dict[str, str]) -> str:
        """The same while files are hashed; what one names that is not there stays as it is, and the site starts."""
        try:
            return str(super()._stored_name(name, hashed_files))
        except ValueError:
            return name
