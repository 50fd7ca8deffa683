"""The files in the folder that a house bot is started from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bots.house.catalogue import HOUSE
from bots.runner import HouseProgram, LocalProgram
from bots.sandbox.code import code_of, staged


def test_a_staged_house_bot_has_compiled_modules(tmp_path: Path) -> None:
    folder = staged(code_of(HouseProgram("kontor")), tmp_path)
    assert {path.name for path in folder.glob("*.py")} == set(HOUSE["kontor"].files())
    compiled = {path.name.partition(".")[0] for path in folder.glob("__pycache__/*.pyc")}
    assert compiled == {Path(name).stem for name in HOUSE["kontor"].files()}
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-B", "-v", "bot.py"],
        cwd=folder,
        input="",
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"code object from '{folder}/__pycache__/worth." in done.stderr


def test_staged_files_are_readable_by_all_and_writable_by_the_platform(tmp_path: Path) -> None:
    folder = staged(code_of(HouseProgram("haggler")), tmp_path)
    for path in (folder, *folder.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644)


def test_code_of_others_is_never_compiled_by_the_platform(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "bot.py").write_text("this is no Python\n")
    folder = staged(code_of(LocalProgram(own)), tmp_path / "runtime")
    assert [path.name for path in folder.rglob("*")] == ["bot.py"]
