from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bots.house.catalogue import HOUSE
from bots.runner import HouseProgram, LocalProgram, PlatformFailure, StoredProgram
from bots.sandbox import interpreter
from bots.sandbox.code import code_of, forget_old_copies, staged
from tests.bots.sandbox.programs import HONEST, folder_of


@pytest.fixture
def runtime() -> Iterator[Path]:
    with folder_of({}) as folder:
        yield folder


def test_a_house_program_is_the_packages_own_code() -> None:
    code = code_of(HouseProgram("greedy"))
    assert code.folder == HOUSE["greedy"].path
    assert code_of(HouseProgram("greedy", HOUSE["greedy"].digest())) == code


def test_a_house_program_of_another_digest_is_refused() -> None:
    with pytest.raises(PlatformFailure, match="is not version 000000000000"):
        code_of(HouseProgram("greedy", "0" * 64))


def test_a_house_program_is_known_by_its_name_and_nothing_else() -> None:
    with pytest.raises(PlatformFailure, match=r"unknown house bot '\.\./greedy'"):
        code_of(HouseProgram("../greedy"))


def test_a_folder_without_its_entry_is_refused() -> None:
    with folder_of({"main.py": HONEST}) as folder, pytest.raises(PlatformFailure, match=r"does not contain bot\.py"):
        code_of(LocalProgram(folder))


def test_a_copy_is_readable_by_all_writable_by_nobody_else_and_made_once(runtime: Path) -> None:
    files = {"bot.py": HONEST, "tables/prices.txt": "1", "__pycache__/bot.pyc": "x", "tool": "#!/bin/sh\n"}
    with folder_of(files) as folder:
        code = code_of(LocalProgram(folder))
        place = staged(code, runtime)
        assert sorted(str(path.relative_to(place)) for path in place.rglob("*")) == [
            "bot.py",
            "tables",
            "tables/prices.txt",
            "tool",
        ]
        modes = {path.name: path.stat().st_mode & 0o777 for path in [place, *place.rglob("*")]}
        assert modes == {place.name: 0o755, "tables": 0o755, "bot.py": 0o644, "prices.txt": 0o644, "tool": 0o755}
        assert staged(code, runtime) == place
        (folder / "bot.py").write_text("changed")
        assert staged(code_of(LocalProgram(folder)), runtime) != place


def test_a_copy_never_changes_not_even_when_it_was_read_or_asked_for(runtime: Path) -> None:
    with folder_of({"bot.py": HONEST, "tables/prices.txt": "1"}) as folder:
        place = staged(code_of(LocalProgram(folder)), runtime)
        before = times(place)
        assert (place / "tables" / "prices.txt").read_text() == "1"
        assert sorted(os.listdir(place)) == ["bot.py", "tables"]
        assert staged(code_of(LocalProgram(folder)), runtime) == place
        assert times(place) == before
        assert not any(abs(moment - time.time()) < 365 * 86_400 for moments in before.values() for moment in moments)


def times(place: Path) -> dict[str, tuple[float, float]]:
    """When everything there was read and written last, as it says itself."""
    return {str(path): (path.stat().st_atime, path.stat().st_mtime) for path in [place, *place.rglob("*")]}


def test_two_threads_make_one_copy(runtime: Path) -> None:
    with folder_of({"bot.py": HONEST}) as folder, ThreadPoolExecutor(8) as pool:
        code = code_of(LocalProgram(folder))
        places = set(pool.map(lambda _: staged(code, runtime), range(8)))
    assert len(places) == 1
    assert [path.name for path in (runtime / "copies").iterdir()] == [places.pop().parent.name]


@pytest.mark.parametrize("target", ["/etc/passwd", "bot.py", "/"])
def test_a_link_in_a_bots_folder_is_refused(runtime: Path, target: str) -> None:
    with folder_of({"bot.py": HONEST}) as folder:
        (folder / "link").symlink_to(target)
        with pytest.raises(PlatformFailure, match="neither a regular file nor a folder"):
            staged(code_of(LocalProgram(folder)), runtime)


def test_a_pipe_in_a_bots_folder_is_refused(runtime: Path) -> None:
    with folder_of({"bot.py": HONEST}) as folder:
        os.mkfifo(folder / "pipe")
        with pytest.raises(PlatformFailure, match="neither a regular file nor a folder"):
            staged(code_of(LocalProgram(folder)), runtime)


def test_no_upload_is_in_the_folder_of_house_bots(runtime: Path) -> None:
    house = code_of(HouseProgram("greedy"))
    with folder_of({"bot.py": HONEST}) as folder:
        stored = staged(code_of(StoredProgram(house.digest, folder)), runtime)
        assert staged(house, runtime) != stored


def test_a_stored_digest_cannot_lead_out_of_the_runtime_folder(runtime: Path) -> None:
    with folder_of({"bot.py": HONEST}) as folder:
        place = staged(code_of(StoredProgram("../../x", folder)), runtime)
        assert place.parent.parent == runtime / "copies"
        assert place.parent.name.isalnum()


def test_the_place_of_a_copy_does_not_follow_from_the_public_digest_of_a_bot(runtime: Path) -> None:
    """Other users of the host can pass through the folders, but they can neither list them nor read the key."""
    digest = "ab" * 32
    with folder_of({"bot.py": HONEST}) as folder, folder_of({}) as other_host:
        here, there = (staged(code_of(StoredProgram(digest, folder)), host) for host in (runtime, other_host))
    assert digest not in str(here)
    assert here.parent.name != there.parent.name
    assert (runtime / "copies").stat().st_mode & 0o777 == 0o711
    assert (runtime / "copies.key").stat().st_mode & 0o777 == 0o600
    assert len((runtime / "copies.key").read_bytes()) == 32


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_other_users_cannot_read_a_copy_and_a_seat_can_read_its_copy(runtime: Path) -> None:
    digest, name = "ab" * 32, "stored-" + "ab" * 32
    runtime.chmod(0o711)
    with folder_of({"bot.py": HONEST}) as folder:
        place = staged(code_of(StoredProgram(digest, folder)), runtime)
    script = """
import os, sys
os.setgid(65534), os.setuid(65534)
for path in sys.argv[1:]:
    try:
        print(bool(os.listdir(path) if os.path.isdir(path) else open(path, "rb").read()))
    except OSError as error:
        print(type(error).__name__)
"""
    paths = [runtime / "copies", runtime / "copies.key", runtime / "copies" / name / "bot" / "bot.py", place / "bot.py"]
    seen = subprocess.run([sys.executable, "-c", script, *map(str, paths)], capture_output=True, text=True, check=True)
    assert seen.stdout.split() == ["PermissionError", "PermissionError", "FileNotFoundError", "True"]


def test_copies_that_nobody_starts_any_more_are_forgotten(runtime: Path) -> None:
    with folder_of({"bot.py": HONEST}) as folder, folder_of({"bot.py": HONEST + "\n"}) as other:
        old, fresh = staged(code_of(LocalProgram(folder)), runtime), staged(code_of(LocalProgram(other)), runtime)
        week_ago = time.time() - 8 * 86_400
        os.utime(old.parent, (week_ago, week_ago))
        forget_old_copies(runtime)
        assert not old.exists()
        assert fresh.exists()


def test_a_missing_interpreter_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESR_BOT_PYTHON", "/nonexistent/python")
    with pytest.raises(PlatformFailure, match="ESR_BOT_PYTHON is set to /nonexistent/python"):
        interpreter.bots_interpreter.__wrapped__()
