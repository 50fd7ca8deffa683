"""Backup files are complete or do not exist, and every change of a byte is noticed."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from random import Random

import pyrage
import pytest
from pyrage.x25519 import Identity

from esr_platform.backups import BackupProblem
from esr_platform.backups.files import new_backup, opened_backup
from tests.services.leftovers import nothing_is_left
from tests.services.workers import ROOT

KEY = Identity.generate()
PARTS = {"backup.json": b"{}", "tables/x/000001.zst": Random(1).randbytes(300_000), "uploads/empty": b""}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "site.backup"
    with new_backup(path, KEY.to_public()) as add:
        for name, data in PARTS.items():
            add(name, data)
    return path


def read(path: Path, key: Identity = KEY) -> dict[str, bytes]:
    with opened_backup(path, key) as parts:
        return dict(parts)


def test_parts_come_back_in_order(path: Path) -> None:
    assert list(read(path).items()) == list(PARTS.items())


def test_only_the_owner_can_read_a_backup(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == [path.name]


def test_another_key_cannot_read_it(path: Path) -> None:
    with pytest.raises(BackupProblem, match="BACKUP_KEY"):
        read(path, Identity.generate())


@pytest.mark.parametrize("share", [0, 0.0001, 0.3, 0.9, 0.99999])
def test_a_truncated_file_is_noticed(path: Path, share: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with nothing_is_left(), pytest.raises(BackupProblem):
        read(path)


@pytest.mark.parametrize("share", [0, 0.0003, 0.3, 0.9, 0.99999])
def test_a_changed_byte_is_noticed(path: Path, share: float) -> None:
    data = bytearray(path.read_bytes())
    data[int(len(data) * share)] ^= 1
    path.write_bytes(data)
    with nothing_is_left(), pytest.raises(BackupProblem):
        read(path)


def test_another_file_is_no_backup(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"SQLite format 3\0" * 100)
    with pytest.raises(BackupProblem, match="not a backup"):
        read(other)


def test_an_age_file_with_something_else_is_no_backup(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(pyrage.encrypt(Random(1).randbytes(1 << 20), [KEY.to_public()]))
    with nothing_is_left(), pytest.raises(BackupProblem):
        read(other)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BackupProblem, match="nowhere"):
        read(tmp_path / "nowhere")


def test_a_reader_can_stop_early(path: Path) -> None:
    with nothing_is_left(), opened_backup(path, KEY) as parts:
        assert next(parts)[0] == "backup.json"


def test_an_existing_file_is_never_replaced(path: Path) -> None:
    with pytest.raises(BackupProblem, match="exists"), new_backup(path, KEY.to_public()):
        pass
    assert read(path) == PARTS


def test_nothing_is_left_of_a_backup_that_fails(tmp_path: Path) -> None:
    def fail() -> None:
        with new_backup(tmp_path / "new", KEY.to_public()) as add:
            add("backup.json", b"{}")
            raise KeyError

    before = threading.active_count()
    with pytest.raises(KeyError):
        fail()
    assert (os.listdir(tmp_path), threading.active_count()) == ([], before)


FULL = """
import resource, sys
from pathlib import Path
from random import Random
from pyrage.x25519 import Identity
from esr_platform.backups import BackupProblem
from esr_platform.backups.files import new_backup
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    with new_backup(Path(sys.argv[1]), Identity.generate().to_public()) as add:
        for number in range(100):
            add(f"uploads/{number}", Random(number).randbytes(1 << 20))
except BackupProblem as problem:
    print(problem)
"""


def test_a_file_that_cannot_grow_leaves_nothing(tmp_path: Path) -> None:
    """As on a full disk, writing fails in the middle."""
    folder = tmp_path / "backups"
    folder.mkdir()
    program = [sys.executable, "-c", FULL, str(folder / "new")]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert os.strerror(27) in done.stdout  # EFBIG
    assert os.listdir(folder) == []


@pytest.mark.skipif(os.getuid() != 0, reason="mounting needs root")
def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=False).returncode:
        pytest.skip("mounting is not allowed here")

    def write() -> None:
        with new_backup(folder / "new", KEY.to_public()) as add:
            for number in range(100):
                add(f"uploads/{number}", Random(number).randbytes(1 << 20))

    try:
        with pytest.raises(BackupProblem, match="space"):
            write()
        assert os.listdir(folder) == []
    finally:
        subprocess.run(["umount", folder], check=True)
