"""An upload that has been read: its files, what it says of itself, and a name for exactly these contents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final

from bots.languages import LANGUAGES, Language
from bots.manifest import Manifest

_LENGTH_BYTES: Final = 8


@dataclass(frozen=True)
class Archive:
    """A bot's files by their paths from its folder on, with slashes, and its manifest; the entry is one of them."""

    files: Mapping[str, bytes]
    manifest: Manifest

    @property
    def language(self) -> Language:
        """The language of the bot's entry."""
        return LANGUAGES[self.manifest.language]

    @property
    def unpacked_bytes(self) -> int:
        """The size of all files together."""
        return sum(map(len, self.files.values()))

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the files' paths and contents, hex: the same however and when they were packed.

        Hashed are, in the order of the paths' UTF-8, the path and the contents, each after its length in eight bytes.
        """
        digest = sha256()
        for path, content in sorted((path.encode(), content) for path, content in self.files.items()):
            for part in (path, content):
                digest.update(len(part).to_bytes(_LENGTH_BYTES, "big"))
                digest.update(part)
        return digest.hexdigest()

    def write_to(self, folder: Path) -> None:
        """Write the files to ``folder``, which must not be there yet. Everybody may read, nobody but us may write.

        The entry can be executed where its language needs that; the permissions in the upload do not count. Raises
        ``OSError``.
        """
        folder.mkdir(mode=0o755)
        for path, content in self.files.items():
            file = folder.joinpath(*path.split("/"))
            file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            file.write_bytes(content)
            executed = path == self.manifest.entry and not self.language.is_interpreted
            file.chmod(0o755 if executed else 0o644)
