"""The package ``games`` in the world of a bot: what the platform has, and nothing else of the platform."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import games
from bots.protocol import Limits
from bots.runner import HouseProgram
from bots.sandbox import PlainLauncher, SandboxLauncher, library
from bots.sandbox.code import LAST_READ_S, WRITTEN_S
from bots.sandbox.interpreter import packages
from bots.sandbox.limited_starter import LimitedStarter
from bots.sandbox.portable import PortableStarter
from bots.sandbox.runtime import VARIABLE
from games.fast.build import LIBRARY
from games.registry import GAMES
from tests.accelerator import accelerator
from tests.bots.sandbox.programs import duel, folder_of, program, stop

__all__ = ["accelerator"]

ALL = ("sandboxed", "limited", "portable")
AnyLauncher = SandboxLauncher | PlainLauncher

SEARCH = """
import json, random, sys
import games
from games.sampling import Sampler

log = []
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        sys.stderr.write(json.dumps([games.__version__, message["library"]]))
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        log += message["log"]
        decision = message["decision"]
        world = Sampler(message["view"], log).sample(random.Random(message["id"]))
        print(json.dumps({"id": message["id"], "move": world.legal_moves(decision["seat"])[-1]}), flush=True)
"""


@pytest.fixture(params=ALL)
def launcher(request: pytest.FixtureRequest) -> AnyLauncher:
    if request.param == "sandboxed":
        sandboxed = request.getfixturevalue("sandbox_launcher")
        assert isinstance(sandboxed, SandboxLauncher)
        return sandboxed
    return PlainLauncher(PortableStarter() if request.param == "portable" else LimitedStarter())


def told(launcher: AnyLauncher, source: str, **files: str) -> Any:
    """What a program of this source calls ``tell`` with."""
    tell = "import json, sys\ndef tell(*facts): sys.stderr.write(json.dumps(facts))\n"
    with program(tell + source, **files) as bot:
        status, output = stop(launcher.start(bot, Limits()), patience_ms=10_000)
    assert status == 0, output
    return json.loads(output)


def test_a_bot_searches_with_the_version_of_the_platform(launcher: AnyLauncher) -> None:
    with program(SEARCH) as bot:
        report = duel(launcher, bot, HouseProgram("random"))
    assert report.forfeits == ()
    assert report.seats[0].strikes == ()
    assert json.loads(report.seats[0].stderr_tail) == [games.__version__, games.__version__]


def test_every_game_and_its_parts_can_be_imported(launcher: AnyLauncher) -> None:
    source = """
import pkgutil, games
from games.registry import GAMES
names = [found.name for found in pkgutil.walk_packages(games.__path__, "games.") if "games.fast." not in found.name]
modules = [__import__(name) for name in names]
tell([[game.slug, len(game.presentation.guide), len(game.schema("view"))] for game in GAMES.values()], names)
"""
    parts, names = told(launcher, source)
    assert parts == [[slug, len(game.presentation.guide), len(game.schema("view"))] for slug, game in GAMES.items()]
    assert {"games.sampling", "games.record", "games.die_weinhaendler.encoding"} <= {*names}


def test_a_bot_that_searches_imports_only_the_rules_and_its_knowledge(launcher: AnyLauncher) -> None:
    loaded = {*told(launcher, "from games.sampling import Sampler\ntell(*sys.modules)")}
    assert "games.die_weinhaendler.knowledge" in loaded
    unused = ("presentation", "statistics", "learning", "schemas", "story", "tutorial", "encoding", "words")
    assert not [name for name in loaded if name.startswith("games.") and name.split(".")[-1] in unused]
    assert not loaded & {"dataclasses", "inspect", "numpy", "ctypes"}


def test_nothing_else_of_the_platform_can_be_imported(launcher: AnyLauncher) -> None:
    source = """
import os, games
found = []
for name in ("bots", "ladder", "esr_platform", "django", "orjson", "celery", "tests", "setup", "manage"):
    try:
        found.append(__import__(name).__name__)
    except ImportError:
        pass
tell(found, os.listdir(os.path.dirname(games.__path__[0])))
"""
    assert told(launcher, source) == [[], ["games"]]


def test_the_modules_are_compiled_for_the_interpreter_of_bots(launcher: AnyLauncher) -> None:
    source = """
import games.sampling
compiled = [module.__cached__ for name, module in sys.modules.items() if name.split(".")[0] == "games"]
tell(len(compiled), [path for path in compiled if open(path, "rb").read(8)[4] != 1])
"""
    count, checked = told(launcher, source)
    assert count > 20
    assert checked == [], "Python would look at the sources again"


@pytest.mark.parametrize("launcher", ["sandboxed", "limited"], indirect=True)
def test_a_bot_cannot_change_it(launcher: AnyLauncher) -> None:
    if isinstance(launcher, PlainLauncher) and os.geteuid() != 0:
        pytest.skip("only root starts plain processes as another user")
    source = """
import os, games
folder, kept = os.path.dirname(games.__file__), []
for change in (
    lambda: open(games.__file__, "a"), lambda: open(games.__cached__, "r+b"), lambda: open(f"{folder}/new.py", "w"),
    lambda: os.remove(f"{folder}/rules.py"), lambda: os.rename(folder, f"{folder}2"), lambda: os.utime(folder),
    lambda: os.chmod(games.__file__, 0o777),
):
    try:
        kept.append(repr(change()))
    except OSError:
        pass
tell(kept)
"""
    assert told(launcher, source) == [[]]


def test_a_package_of_its_own_goes_before(launcher: AnyLauncher) -> None:
    files = {"games/__init__.py": "", "games/own.py": "WORD = 'own'"}
    assert told(launcher, "from games.own import WORD\ntell(WORD)", **files) == ["own"]


def test_the_accelerator_plays_a_batch_of_games(launcher: AnyLauncher) -> None:
    if not any(path.name == "numpy" for path in packages()):
        pytest.skip("the bots' interpreter of this machine has no numpy")
    library._version.cache_clear()  # the accelerator may have been compiled since the other copies were made
    if isinstance(launcher, SandboxLauncher):
        launcher = SandboxLauncher()
    source = """
import numpy as np
from games.fast.batch import Batch
batch = Batch("edel-stein-reich-duel", 2, np.zeros((64, 32), dtype=np.uint8))
moves = batch.playouts(np.arange(64, dtype=np.uint64))
tell(int(moves.min()), bool(batch.done.all()), sorted(set(batch.outcomes().ranks.sum(axis=1).tolist())))
"""
    moves, done, ranks = told(launcher, source)
    assert moves > 20
    assert done
    assert {*ranks} <= {2, 3}


def test_house_bots_start_without_packages(launcher: AnyLauncher) -> None:
    process = launcher.start(HouseProgram("random"), Limits())
    variables = Path(f"/proc/{process.pid}/environ").read_bytes()
    stop(process)
    assert b"PYTHONPATH" not in variables


# --- The copy --------------------------------------------------------------------------------------------------------


def test_the_copy_contains_all_files_of_the_package_and_of_compiled_ones_only_the_accelerator() -> None:
    package = Path(games.__file__).parent
    sources = {path.relative_to(package.parent).as_posix() for path in package.rglob("*") if path.is_file()}
    wanted = {name for name in sources if "__pycache__" not in name and not name.startswith("games/native/")}
    accelerator = {f"games/native/{LIBRARY.name}"} if LIBRARY.is_file() else set()
    assert {*library.files()} == wanted | accelerator


def test_all_files_of_the_copy_have_the_same_times_and_can_be_read_by_all(sandbox_launcher: SandboxLauncher) -> None:
    paths = [*(sandbox_launcher.root / library.PLACE[1:]).rglob("*")]
    assert len(paths) > 200
    status = [path.stat() for path in paths]
    assert {(each.st_atime, each.st_mtime) for each in status} == {(LAST_READ_S, WRITTEN_S)}
    assert {each.st_mode & 0o777 for each in status} == {0o755, 0o644}


def test_another_version_of_the_package_gets_another_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "games"
    shutil.copytree(Path(games.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "native"))
    monkeypatch.setattr(library, "_PACKAGE", package)
    before = library.version()
    assert library.version() == before
    with (package / "rules.py").open("a") as file:
        file.write("\n")
    assert library.version() != before


def test_plain_processes_share_a_copy_in_the_runtime_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    with folder_of({}) as folder:
        monkeypatch.setenv(VARIABLE, str(folder / "runtime"))
        place = library.local_library()
        made = place.stat().st_ino
        assert library.local_library().stat().st_ino == made
        assert [path.name for path in place.iterdir()] == ["games"]
        library.forget_old_libraries(folder / "runtime")
        assert place.exists()
        os.utime(place.parent, (WRITTEN_S, WRITTEN_S))
        library.forget_old_libraries(folder / "runtime")
        assert not place.exists()
