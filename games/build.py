"""Select the build of the engine: the Python sources, or the same modules compiled by mypyc.

``make engine-native`` compiles the rules into ``games/native/``; a wheel can contain them. Compiled modules replace the
sources only if they were compiled from exactly these sources. Otherwise a warning appears and the sources run.

The environment variable ``ESR_ENGINE`` overrides this: ``python`` always uses the sources, ``native`` requires compiled
modules and raises ``ImportError`` if there are none that match.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent
"""The folder of the package ``games``."""

FOLDER = ROOT / "native" / EXTENSION_SUFFIXES[0].strip(".").partition(".")[0]
"""The folder of the modules that are compiled for this version of Python."""

MANIFEST = FOLDER / "manifest"
"""The file that lists the compiled modules.

Its form is ``{"sources": {"rules.py": SHA-256, …}, "files": {"games.rules": file name, …}}``.
"""

COMPILED = False
"""Whether the compiled modules are in use."""


class _Compiled(MetaPathFinder):
    """Import hook that finds compiled modules before their sources are found."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        file = self.files.get(fullname)
        return None if file is None else spec_from_file_location(fullname, FOLDER / file)


def digests(sources: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256 of source files by their path below ``ROOT``, ``""`` for missing files."""
    paths = {source: ROOT / source for source in sources}
    return {source: sha256(path.read_bytes()).hexdigest() if path.is_file() else "" for source, path in paths.items()}


def what_is_wrong() -> str:
    """Return why the compiled modules cannot be used, or ``""`` if they can."""
    if not MANIFEST.is_file():
        return f"the engine is not compiled for this Python, {FOLDER.name}: `make engine-native` does that"
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    if not all((FOLDER / file).is_file() for file in manifest["files"].values()):
        return "compiled modules are missing: `make engine-native` compiles them again"
    current = digests(list(manifest["sources"]))
    changed = [source for source, digest in manifest["sources"].items() if current[source] != digest]
    if changed:
        return (
            f"the engine was compiled from other sources ({', '.join(changed)}): `make engine-native` compiles it again"
        )
    return ""


def choose() -> None:
    """Use the compiled modules if they match the sources. Call it before other modules of ``games`` are imported.

    Raises ``ImportError`` if ``ESR_ENGINE`` is invalid, or is ``native`` and no compiled modules match.
    """
    global COMPILED
    #: ESR_ENGINE: Engine to use, `python` or `native`. Default: native if it is compiled.
    wanted = os.environ.get("ESR_ENGINE", "")
    if wanted not in ("", "python", "native"):
        raise ImportError(f"ESR_ENGINE is python or native, not {wanted!r}")
    if wanted == "python" or (not wanted and not MANIFEST.is_file()):
        return
    wrong = what_is_wrong()
    if wrong and wanted:
        raise ImportError(wrong)
    if wrong:
        warnings.warn(f"{wrong}. Until then its sources run.", RuntimeWarning, stacklevel=2)
        return
    sys.meta_path.insert(0, _Compiled(json.loads(MANIFEST.read_text(encoding="utf-8"))["files"]))
    COMPILED = True
