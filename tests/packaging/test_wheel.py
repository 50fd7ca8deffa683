"""The source distribution and the wheel: all files of the packages, nothing else, and the right metadata."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from games.fast.build import FLAGS, LIBRARY, compiler
from games.registry import GAMES
from tests.packaging.sources import FILES, PACKAGES, copy_to, distributions
from tests.services.tools import compiler_fault, missing

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_to(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="module")
def built(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return distributions(sources, tmp_path_factory.mktemp("distributions"))


def require_compiler() -> None:
    """Skip the test without a compiler, but not in continuous integration."""
    if fault := compiler_fault((*compiler(), *FLAGS, "-o", "{out}", "probe.c"), "probe.c", "int probe;\n"):
        missing(f"The accelerator cannot be compiled: {fault}")


@pytest.fixture(scope="module")
def pure(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel from a machine without a compiler."""
    return distributions(sources, tmp_path_factory.mktemp("pure"), CC="no-such-compiler")[1]


@pytest.fixture(scope="module")
def wheel(built: tuple[Path, Path]) -> ZipFile:
    return ZipFile(built[1])


@pytest.fixture(scope="module")
def metadata(wheel: ZipFile) -> Message:
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    return Parser().parsestr(wheel.read(name).decode())


def files_of_packages(sources: Path) -> set[str]:
    return {
        path.relative_to(sources).as_posix()
        for package in PACKAGES
        for path in (sources / package).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }


def test_the_distribution_has_the_name_of_the_product(built: tuple[Path, Path], metadata: Message) -> None:
    version = metadata["Version"]
    assert metadata["Name"] == "steinreich"
    assert built[0].name == f"steinreich-{version}.tar.gz"
    assert built[1].name.startswith(f"steinreich-{version}-py3-none-")


def test_the_wheel_contains_the_accelerator_for_this_platform(
    built: tuple[Path, Path], wheel: ZipFile, pure: Path
) -> None:
    require_compiler()
    assert not built[1].name.endswith("-any.whl")
    files = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert files - set(ZipFile(pure).namelist()) == {f"games/native/{LIBRARY.name}"}


def test_a_wheel_without_a_compiler_is_for_every_platform(pure: Path) -> None:
    assert pure.name.endswith("-py3-none-any.whl")
    assert "no-such-compiler" not in (pure.parent / "build.log").read_text(encoding="utf-8")
    assert f"games/native/{LIBRARY.name}" not in ZipFile(pure).namelist()


def test_a_wheel_for_every_platform_can_be_requested(sources: Path, tmp_path: Path) -> None:
    assert distributions(sources, tmp_path, ESR_NATIVE="0")[1].name.endswith("-py3-none-any.whl")


@pytest.mark.parametrize("compiled", [True, False])
def test_the_installed_accelerator_is_loaded_or_says_what_is_missing(
    built: tuple[Path, Path], pure: Path, tmp_path: Path, compiled: bool
) -> None:
    if compiled:
        require_compiler()
    wheel = built[1] if compiled else pure
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--target",
        tmp_path,
        wheel,
    ]
    installed = subprocess.run(list(map(str, install)), check=False, capture_output=True, text=True)
    assert (installed.returncode, installed.stdout) == (0, ""), installed.stderr
    program = f"import sys; sys.path[0] = {str(tmp_path)!r}; from games.fast.library import load; print(load())"
    loaded = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (str(tmp_path) in loaded.stdout) == compiled, loaded.stderr
    assert ("ImportError: the accelerator is not compiled" in loaded.stderr) != compiled


def test_the_wheel_contains_every_file_of_the_packages(sources: Path, wheel: ZipFile) -> None:
    assert files_of_packages(sources) - set(wheel.namelist()) == set()


def test_the_wheel_contains_nothing_else(wheel: ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_the_source_distribution_contains_what_a_build_reads(sources: Path, built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    assert (files_of_packages(sources) | set(FILES)) - names == set()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {*PACKAGES, *FILES, "requirements", "steinreich.egg-info", "PKG-INFO", "setup.cfg"}


def test_every_package_is_marked_as_typed(wheel: ZipFile) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(wheel.namelist())


@pytest.mark.parametrize("slug", GAMES)
def test_the_wheel_contains_the_rules_and_the_starter_bot_of_each_game(wheel: ZipFile, slug: str) -> None:
    presentation = GAMES[slug].presentation
    folder = f"games/{presentation.folder}"
    names = set(wheel.namelist())
    assert f"{folder}/starter/strategy.py" in names
    assert f"{folder}/{presentation.guide_file}" in names
    assert "games/plain_starter/strategy.py" in names


def test_the_library_needs_four_packages_and_the_rest_are_extras(metadata: Message) -> None:
    needed = metadata.get_all("Requires-Dist") or []
    library = [re.split("[<>=~]", line)[0] for line in needed if "extra ==" not in line]
    assert library == ["httpx2", "orjson", "rich", "shtab"]
    assert set(metadata.get_all("Provides-Extra") or []) == {"server", "rl", "train", "s3", "verify", "sentry", "otel"}
    assert any(line.startswith("django~=") and 'extra == "server"' in line for line in needed)
    assert any(line.startswith("pettingzoo") and 'extra == "rl"' in line for line in needed)


def test_the_wheel_installs_the_command(wheel: ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "esr = bots.cli.esr:main" in wheel.read(name).decode()
