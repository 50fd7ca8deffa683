from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings

from esr_platform.secret import private_folder, secret_key


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_data_folder_that_others_could_read_is_closed_with_its_database(tmp_path: Path) -> None:
    folder, database = tmp_path / "var", tmp_path / "var" / "db.sqlite3"
    folder.mkdir(mode=0o755)
    (folder / "db.sqlite3-wal").touch(mode=0o644)
    environment = {**os.environ, "VAR_DIR": str(folder), "DATABASE_URL": ""}
    command = [sys.executable, "manage.py", "check"]
    subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=True, capture_output=True)
    assert (mode(folder), mode(database), mode(folder / "db.sqlite3-wal")) == (0o700, 0o600, 0o600)


def test_a_folder_into_which_others_write_is_no_data_folder() -> None:
    place = Path(tempfile.gettempdir())
    before = mode(place)
    with pytest.raises(PermissionError, match="other users write there"):
        private_folder(place)
    assert mode(place) == before


def test_a_file_system_of_its_own_is_closed_to_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    private_folder(tmp_path)
    assert mode(tmp_path) == 0o700


def test_the_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "secret-key"
    key = secret_key(path)
    assert len(key) >= 50
    assert secret_key(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_all_who_ask_at_once_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: secret_key(tmp_path / "secret-key"), range(32)))
    assert len(keys) == 1
