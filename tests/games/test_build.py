"""Which build runs: the compiled modules where they fit their sources, the sources where they do not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import games
from games import build
from games.registry import GAMES

SAYS = "import games.build, games.chance, games.stepped; print(games.build.COMPILED, games.stepped.SteppedState.play)"


def python(code: str, folder: Path, engine: str) -> subprocess.CompletedProcess[str]:
    """Another interpreter that finds ``games`` in ``folder``."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "ESR_ENGINE": engine}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the engine, compiled modules included."""
    shutil.copytree(Path(games.__file__).parent, tmp_path / "games", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.fixture
def pretended(copied: Path) -> Path:
    """A copy with a manifest as if one module had been compiled, of other sources than now."""
    shutil.rmtree(copied / "games" / "native", ignore_errors=True)
    folder = copied / "games" / build.FOLDER.relative_to(build.ROOT)
    folder.mkdir(parents=True)
    (folder / "stepped.so").write_bytes(b"this is no library")
    manifest = {"sources": {"stepped.py": "0" * 64}, "files": {"games.stepped": "stepped.so"}}
    (folder / "manifest").write_text(json.dumps(manifest), encoding="utf-8")
    return copied


@pytest.mark.skipif(os.environ.get("ESR_ENGINE") != "native", reason="make test-native compiles the engine")
def test_this_run_tests_the_compiled_modules() -> None:
    from games.edel_stein_reich.state import EdelSteinReichState
    from games.stepped import SteppedState

    assert build.COMPILED
    for function in (SteppedState.play, EdelSteinReichState.check, EdelSteinReichState.random_move):
        assert type(function).__name__ == "method_descriptor"


@pytest.mark.skipif(os.environ.get("ESR_ENGINE") != "native", reason="make test-native compiles the engine")
def test_every_module_of_the_rules_was_loaded_compiled() -> None:
    states = {type(game.new(game.seat_counts[0], bytes(32))).__module__ for game in GAMES.values()}
    packages = [import_module(package) for package in {module.rpartition(".")[0] for module in states}]
    module_paths = [(package, module) for package in packages for module in iter_modules(package.__path__)]
    modules = {f"{package.__name__}.{module.name}" for package, module in module_paths if not module.ispkg}
    modules |= {
        f"games.{shared}" for shared in ("chance", "compact", "outcomes", "record", "rules", "stepped", "strict")
    }
    assert states < modules
    folder = str(build.FOLDER)
    assert {name for name in modules if not str(import_module(name).__file__).startswith(folder)} == set()


@pytest.mark.skipif(os.environ.get("ESR_ENGINE") != "native", reason="make test-native compiles the engine")
def test_compiled_modules_are_picked_up_until_a_source_changes(copied: Path) -> None:
    assert python(SAYS, copied, "").stdout.startswith("True <method 'play'")
    with (copied / "games" / "stepped.py").open("a") as source:
        source.write("# changed\n")
    run = python(SAYS, copied, "")
    assert run.stdout.startswith("False <function SteppedState.play")
    assert "stepped.py" in run.stderr
    assert "make engine-native" in run.stderr


def test_modules_compiled_from_other_sources_are_not_used_with_a_warning(pretended: Path) -> None:
    run = python(SAYS, pretended, "")
    assert run.stdout.startswith("False <function SteppedState.play")
    assert "RuntimeWarning: the engine was compiled from other sources (stepped.py)" in run.stderr


def test_required_compiled_modules_that_are_missing_are_an_error_with_a_remedy(pretended: Path) -> None:
    run = python(SAYS, pretended, "native")
    assert run.returncode == 1
    assert "ImportError: the engine was compiled from other sources (stepped.py): `make engine-native`" in run.stderr


def test_requested_sources_are_used_without_a_warning(pretended: Path) -> None:
    run = python(SAYS, pretended, "python")
    assert (run.stdout[:5], run.stderr) == ("False", "")


def test_without_anything_compiled_the_sources_run(pretended: Path) -> None:
    shutil.rmtree(pretended / "games" / "native")
    assert python(SAYS, pretended, "").stdout.startswith("False")
    assert "not compiled for this Python" in python(SAYS, pretended, "native").stderr


def test_an_unknown_engine_is_refused(pretended: Path) -> None:
    assert "ESR_ENGINE is python or native, not 'rust'" in python(SAYS, pretended, "rust").stderr
