"""Compile the accelerator if there is a C compiler; all else is in pyproject.toml.

``ESR_NATIVE=1`` fails without a compiler. ``ESR_NATIVE=0`` compiles nothing, for a wheel that every platform can
install.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent / "games"
sys.path.insert(0, str(ROOT.parent))  # the folder of this file is not on the path of a build
from games.fast.build import LIBRARY, compile_library  # noqa: E402

NATIVE = os.environ.get("ESR_NATIVE", "")


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
        if not accelerated:
            return super().get_tag()
        self.root_is_pure = False
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"bdist_wheel": TaggedWheel, "build_py": BuildWithAccelerator})
