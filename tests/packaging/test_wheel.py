"""What `pip install .` installs: every file of the packages, and the names of nothing but the library's needs."""

from __future__ import annotations

import subprocess
import sys
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from games.registry import GAMES
from tests.packaging.sources import PACKAGES, copy_to


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_to(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="module")
def wheel(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    expected = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*pip, "-w", expected, sources], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = expected.iterdir()
    assert path.name.endswith("-py3-none-any.whl")
    return ZipFile(path)


def test_every_file_of_the_packages_is_in_it(sources: Path, wheel: ZipFile) -> None:
    files = {
        path.relative_to(sources).as_posix()
        for package in PACKAGES
        for path in (sources / package).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    assert files - set(wheel.namelist()) == set()


def test_nothing_else_is_in_it(wheel: ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_types_are_offered_by_every_package(wheel: ZipFile) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(wheel.namelist())


@pytest.mark.parametrize("slug", GAMES)
def test_a_game_brings_its_texts_and_first_bot(wheel: ZipFile, slug: str) -> None:
    presentation = GAMES[slug].presentation
    folder = f"games/{presentation.folder}"
    names = set(wheel.namelist())
    assert f"{folder}/starter/strategy.py" in names
    assert f"{folder}/{presentation.guide_file}" in names
    assert "games/plain_starter/strategy.py" in names


def test_the_library_needs_three_packages_and_the_rest_are_extras(wheel: ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = Parser().parsestr(wheel.read(name).decode())
    needed = metadata.get_all("Requires-Dist") or []
    assert [line for line in needed if "extra ==" not in line] == ["httpx", "orjson", "rich"]
    assert set(metadata.get_all("Provides-Extra") or []) == {"server", "rl", "s3"}
    assert any(line.startswith("django~=") and 'extra == "server"' in line for line in needed)
    assert any(line.startswith("pettingzoo") and 'extra == "rl"' in line for line in needed)


def test_the_command_is_installed(wheel: ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "esr = bots.cli.esr:main" in wheel.read(name).decode()
