from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from bots.languages import LANGUAGES
from bots.protocol import Limits
from bots.sandbox import SandboxLauncher, offers, self_test
from bots.sandbox.interpreter import PACKAGES, VARIABLE, bots_interpreter, packages

SAY = "from bots.sandbox import offers; import json; print(json.dumps([offer.document() for offer in offers()]))"


def offered(**environment: str) -> dict[str, dict[str, object]]:
    """What a process of its own offers."""
    asked = subprocess.run(
        [sys.executable, "-c", SAY], capture_output=True, text=True, env={**os.environ, **environment}, check=True
    )
    return {offer["name"]: offer for offer in json.loads(asked.stdout)}


@pytest.fixture(scope="module")
def numeric_python() -> Iterator[Path]:
    """A Python with numpy that a sandbox can show to bots: the system's, with the numpy of this test's environment."""
    system, numpy = bots_interpreter(), find_spec("numpy")
    if packages():
        yield system
        return
    same = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if numpy is None or numpy.origin is None or not system.is_relative_to("/usr") or system.name != same:
        pytest.skip("neither the bots' interpreter has numpy, nor this environment one of the same Python to lend it")
    prefix = Path(tempfile.mkdtemp(prefix="esr-python-", dir="/var/tmp"))  # a bot finds its own /tmp empty
    prefix.chmod(0o755)
    (prefix / "bin").mkdir()
    shutil.copy2(system, prefix / "bin" / same)
    (prefix / "lib" / "python3").mkdir(parents=True)
    (prefix / "lib" / same).symlink_to(f"/usr/lib/{same}")
    site, lent = Path(numpy.origin).parents[1], prefix / "lib" / "python3" / "dist-packages"
    for name in ("numpy", "numpy.libs"):
        shutil.copytree(site / name, lent / name, ignore=shutil.ignore_patterns("tests", "__pycache__", "*.a"))
    yield prefix / "bin" / same
    shutil.rmtree(prefix)


def test_the_offer_is_the_table_of_languages_with_what_the_sandbox_says(sandbox_launcher: SandboxLauncher) -> None:
    offered = offers()
    assert [offer.name for offer in offered] == list(LANGUAGES)
    assert offered[0].version == self_test().python_version != ""
    assert offered[1].version == offered[1].numpy == ""
    assert {offer.memory_mb for offer in offered} == {Limits().memory_mb}


def test_numpy_is_offered_where_the_bots_interpreter_has_it_and_works_within_the_memory(
    sandbox_launcher: SandboxLauncher, numeric_python: Path
) -> None:
    offer = offered(**{VARIABLE: str(numeric_python)})["python"]
    assert str(offer["numpy"])[0].isdigit()
    assert offer["version"]


def test_a_package_that_is_not_named_is_not_there(sandbox_launcher: SandboxLauncher, numeric_python: Path) -> None:
    assert offered(**{VARIABLE: str(numeric_python), PACKAGES: "json5, nothing"})["python"]["numpy"] == ""


def test_numpy_is_offered_only_where_it_is_installed(sandbox_launcher: SandboxLauncher) -> None:
    if packages():
        pytest.skip("the bots' interpreter of this machine has numpy")
    assert offered()["python"]["numpy"] == ""
