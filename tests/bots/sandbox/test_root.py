"""The root of every bot: copies in memory of an interpreter and its libraries."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from bots.protocol import Limits
from bots.runner import HouseProgram, LocalProgram, PlatformFailure
from bots.sandbox import SandboxLauncher, library, root
from bots.sandbox.proof import MEMORY, prove, remedy
from bots.sandbox.root import bots_library, has_holes, root_folder
from bots.sandbox.runtime import VARIABLE, is_in_memory, runtime_folder
from tests.bots.sandbox.programs import HONEST, duel, folder_of

in_memory = pytest.mark.skipif(
    not is_in_memory(Path("/dev/shm")), reason="this machine has no tmpfs from which programs can be started"
)


@pytest.fixture
def runtime() -> Iterator[Path]:
    with folder_of({}) as folder:
        yield folder / "runtime"


@pytest.fixture(scope="module")
def made() -> Path:
    return root_folder(runtime_folder())


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


def test_a_root_contains_an_interpreter_its_library_and_shared_libraries(made: Path) -> None:
    assert {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libz.so.1", "os.py"} <= names(made)
    assert not names(made) & {"sh", "bash", "env", "perl", "su", "bwrap", "passwd"}
    assert not (made / str(bots_library())[1:] / "test").exists()
    assert not (made / str(bots_library())[1:] / "dist-packages").exists()


def test_modules_of_the_library_need_not_be_compiled_at_a_start(made: Path) -> None:
    library = made / str(bots_library())[1:]
    source = (library / "json" / "__init__.py").stat()
    (compiled,) = (library / "json" / "__pycache__").glob("__init__.cpython-3??.pyc")
    flags, modified = (int.from_bytes(compiled.read_bytes()[at : at + 4], "little") for at in (4, 8))
    assert flags or modified == int(source.st_mtime), "a compiled module names the time of its source (PEP 552)"


def test_a_root_is_made_once_and_another_one_for_other_files(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with folder_of({"ld.so.cache": "nothing"}) as folder:
        monkeypatch.setattr(root, "LINKER_CACHE", folder / "ld.so.cache")
        first = root_folder(runtime)
        made = first.stat().st_ino
        assert root_folder(runtime).stat().st_ino == made
        (folder / "ld.so.cache").write_text("a library more")
        assert root_folder(runtime) != first


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FORMAT", root.FORMAT + 1),
        ("LIBRARIES", root.LIBRARIES[1:]),
        ("LINKS", ()),
        ("FOLDERS", (*root.FOLDERS, "/opt")),
        ("DEVICES", ("/dev/null",)),
        ("_NOT_NEEDED", {"test"}),
        ("_LOCALE", Path("/usr/lib/locale/de_DE.utf8")),
        ("library", SimpleNamespace(PLACE="/usr/lib/games", version=library.version)),
        ("library", SimpleNamespace(PLACE=library.PLACE, version=lambda: "0" * 64)),
    ],
)
def test_a_release_that_makes_another_root_does_not_use_the_old_one(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    before = root.version()
    assert root.version() == before
    monkeypatch.setattr(root, name, value)
    assert root.version() != before


def test_workers_that_start_at_the_same_time_make_one_root(runtime: Path) -> None:
    script = "from bots.sandbox.root import *; from bots.sandbox.runtime import *; print(root_folder(runtime_folder()))"
    environment = {**os.environ, VARIABLE: str(runtime)}
    workers = [
        subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    roots = {worker.communicate()[0].strip() for worker in workers}
    (made,) = (runtime / "roots").iterdir()
    assert roots == {str(made / "root")}


def test_a_program_cannot_be_started_from_a_place_without_programs(runtime: Path, tmp_path: Path) -> None:
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "noexec,mode=711", "none", tmp_path], check=False)
    if mounted.returncode:
        pytest.skip("only root can mount a file system")
    try:
        with pytest.raises(PlatformFailure, match="noexec") as failure:
            SandboxLauncher(runtime=tmp_path)
        assert remedy(str(failure.value)) == MEMORY
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_a_file_that_cannot_be_copied_is_a_platform_failure(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root, "bots_interpreter", lambda: Path("/nonexistent/python3"))
    root.bots_library.cache_clear()
    with pytest.raises(PlatformFailure, match="could not copy"):
        root_folder(runtime)


@in_memory
def test_a_file_with_a_hole_is_noticed(made: Path) -> None:
    assert not has_holes(made)
    with folder_of({"dense": "x" * 8192}, parent="/dev/shm") as folder:
        assert not has_holes(folder)
        os.truncate(folder / "dense", 1 << 20)
        assert has_holes(folder)


def test_a_root_that_was_removed_is_made_again_and_one_in_use_stays(runtime: Path) -> None:
    launcher = SandboxLauncher(runtime=runtime)
    week_ago = time.time() - 8 * 86_400
    for removed in (False, True):
        os.utime(launcher.root.parent, (week_ago, week_ago))
        if removed:
            launcher.sweep()
            assert not launcher.root.exists()
        with folder_of({"bot.py": HONEST}) as folder:
            assert not duel(launcher, LocalProgram(folder), HouseProgram("random")).forfeits
        launcher.sweep()
        assert launcher.root.exists()


@in_memory
def test_where_there_is_room_in_memory_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert is_in_memory(runtime_folder())


@pytest.mark.skipif(is_in_memory(Path("/var/tmp")), reason="this machine has no disk")
def test_bots_whose_files_lie_on_a_disk_play_no_rated_games(sandbox_launcher: SandboxLauncher) -> None:
    with folder_of({}, parent="/var/tmp") as folder:
        launcher = SandboxLauncher(runtime=folder / "runtime")
        test = prove(launcher)
    assert (test.ok, test.rated, launcher.proved) == (True, False, True)
    assert ": /, /bot." in test.problem
    assert "ESR_RUNTIME_DIR" in test.remedy
    assert prove(sandbox_launcher).rated


def test_a_root_that_cannot_be_noted_as_used_is_the_platforms_failure(
    sandbox_launcher: SandboxLauncher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sandbox_launcher.roots, "", Path("/proc/self/root"))
    with folder_of({"bot.py": HONEST}) as folder, pytest.raises(PlatformFailure, match="cannot use"):
        sandbox_launcher.start(LocalProgram(folder), Limits())
