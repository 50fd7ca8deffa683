"""Which build of the engine runs: the modules as they are, or the same modules compiled by mypyc.

``make engine-native`` compiles the rules into ``games/native/``, a wheel can bring them along. They are imported in
the place of their sources when they were compiled from exactly these. Compiled modules that are out of date are never
used: a warning says so, and the sources run. ``ESR_ENGINE=python`` in the environment keeps to the sources,
``ESR_ENGINE=native`` insists on the compiled modules and raises ``ImportError`` where there are none to use.
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
"""The package, with all its sources."""

FOLDER = ROOT / "native" / EXTENSION_SUFFIXES[0].strip(".").partition(".")[0]
"""Where the modules compiled for this Python lie."""

MANIFEST = FOLDER / "manifest"
"""What was compiled: ``{"sources": {"base.py": SHA-256, …}, "files": {"games.rules": file name, …}}``."""

COMPILED = False
"""Whether the compiled modules run."""


class _Compiled(MetaPathFinder):
    """Finds compiled modules before anybody finds their sources."""

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
    """The SHA-256 of sources by their path below ``ROOT``; one that is not there has ``""``."""
    paths = {source: ROOT / source for source in sources}
    return {source: sha256(path.read_bytes()).hexdigest() if path.is_file() else "" for source, path in paths.items()}


def what_is_wrong() -> str:
    """Why there is nothing compiled that can be used, or ``""``."""
    if not MANIFEST.is_file():
        return f"the engine is not compiled for this Python, {FOLDER.name}: `make engine-native` does that"
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    if not all((FOLDER / file).is_file() for file in manifest["files"].values()):
        return "compiled modules are missing: `make engine-native` compiles them again"
    found = digests(list(manifest["sources"]))
    changed = [source for source, digest in manifest["sources"].items() if found[source] != digest]
    if changed:
        return (
            f"the engine was compiled from other sources ({', '.join(changed)}): `make engine-native` compiles it again"
        )
    return ""


def choose() -> None:
    """Have compiled modules imported if there are any that fit; before anything else of ``games`` is imported."""
    global COMPILED
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
