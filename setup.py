"""Compile the accelerator if there is a C compiler, and the rules with mypyc on request; all else is in pyproject.toml.

``ESR_NATIVE=1`` compiles both and fails if it cannot. ``ESR_NATIVE=0`` compiles nothing, for a wheel that every
platform can install. The results are in ``games/native/``, with a manifest of the sources of the rules, which
``games.build`` reads.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

try:
    from mypyc.build import mypycify
except ImportError:
    mypycify = None

ROOT = Path(__file__).parent / "games"
sys.path.insert(0, str(ROOT.parent))
os.environ["ESR_ENGINE"] = "python"
from games import build  # noqa: E402 (it is in the folder of this file, which is not on the path of a build)
from games.fast.build import LIBRARY, compile_library  # noqa: E402

FLAGS = [] if sys.platform == "win32" else ["-fno-semantic-interposition", "-fvisibility=hidden", "-fno-plt"]
"""Compiled functions call each other directly: nobody outside replaces one or calls it but through Python."""

NATIVE = os.environ.get("ESR_NATIVE", "")

SHARED = ("chance", "compact", "knowledge", "outcomes", "record", "rules", "stepped", "strict")


def sources() -> list[Path]:
    """What searchers and learners spend their time in: states, what all games share, records."""
    games = [state.parent for state in ROOT.glob("*/state.py")]
    own = [source for game in games for source in game.glob("*.py") if source.name != "__init__.py"]
    return sorted([*(ROOT / f"{name}.py" for name in SHARED), *own])


class BuildWithAccelerator(build_py):
    """Also compiles the accelerator. Everything works without it, so a missing compiler is no error."""

    def run(self) -> None:
        """Compile for the checkout if it is installed in place, else for a wheel."""
        super().run()
        target = LIBRARY if self.editable_mode else Path(self.build_lib, "games", LIBRARY.relative_to(ROOT))
        try:
            if NATIVE != "0":
                compile_library(target, quiet=NATIVE != "1")
        except (OSError, subprocess.CalledProcessError):
            if NATIVE == "1":
                raise


class TaggedWheel(bdist_wheel):
    """A wheel that is only for this platform if it contains the accelerator, which suits every version of Python."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tags for Python, its ABI and the platform."""
        accelerated = Path(self.bdist_dir, "games", LIBRARY.relative_to(ROOT)).is_file()
        if self.distribution.has_ext_modules() or not accelerated:
            return super().get_tag()
        self.root_is_pure = False
        return "py3", "none", super().get_tag()[2]


class BuildNative(build_ext):
    """Puts what is compiled into ``games/native/``, where ``games.build`` looks for it."""

    def get_ext_fullpath(self, ext_name: str) -> str:
        """Where a compiled module goes among what a wheel is made of."""
        return str(self._folder() / self._file(ext_name))

    def _file(self, ext_name: str) -> str:
        return ext_name + self.get_ext_filename("")

    def _folder(self) -> Path:
        return Path(self.build_lib, "games", build.FOLDER.relative_to(ROOT))

    def build_extensions(self) -> None:
        """Compile, and write down what it was compiled from."""
        super().build_extensions()
        manifest = {
            "sources": build.digests([source.relative_to(ROOT).as_posix() for source in sources()]),
            "files": {extension.name: self._file(extension.name) for extension in self.extensions},
        }
        (self._folder() / "manifest").write_text(json.dumps(manifest, indent=1), encoding="utf-8")

    def copy_extensions_to_source(self) -> None:
        """With ``--inplace``: bring everything to the sources at once, in the place of what lay there."""
        shutil.rmtree(build.FOLDER, ignore_errors=True)
        shutil.copytree(self._folder(), build.FOLDER)


def extensions() -> list[Extension]:
    """The compiled modules, as mypyc has them built. Run in the folder of this file."""
    paths = [str(source.relative_to(ROOT.parent)) for source in sources()]
    options = ["--config-file=", "--strict", "--python-version=3.11"]
    compiled: list[Extension] = mypycify([*paths, *options], opt_level="3", group_name="esr_games")
    for extension in compiled:
        extension.extra_compile_args += FLAGS
    return compiled


COMMANDS = {"bdist_wheel": TaggedWheel, "build_py": BuildWithAccelerator}

if NATIVE != "1":
    setup(cmdclass=COMMANDS)
elif mypycify is None:
    setup(setup_requires=["mypy"])  # a build backend asks what is needed, gets it, and comes again
else:
    setup(ext_modules=extensions(), cmdclass={**COMMANDS, "build_ext": BuildNative})
