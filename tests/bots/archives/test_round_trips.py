from __future__ import annotations

import io
import platform
import stat
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.archives import ArchiveRefused, read_upload
from tests.bots.archives.other_readers import read_from_the_back, read_from_the_front
from tests.bots.elf import program
from tests.services.tools import runs

needs_zip = pytest.mark.skipif(not runs("zip", "-v"), reason="Info-ZIP does not run on this machine")

LETTERS = "abcxyz019_-+é宝 "
WORDS = st.text(LETTERS, max_size=6).map(lambda word: f"{word.strip()}e")
FOLDERS = st.lists(WORDS.map(lambda word: f"d{word}"), max_size=4)
PATHS = st.builds(lambda folders, word: "/".join([*folders, f"f{word}.x"]), FOLDERS, WORDS)
TREES = st.dictionaries(PATHS, st.binary(max_size=300) | st.just(bytes(5000)), max_size=12).map(
    lambda files: {"bot.py": b"pass", **files}
)


class Pipe(io.RawIOBase):
    """A file in which nobody can go back, as when an archive is made into a pipe."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.data += data
        return len(data)


def packed(files: dict[str, bytes], *, to_pipe: bool, method: int, folders: bool, around: str = "") -> bytes:
    pipe, file = Pipe(), io.BytesIO()
    with zipfile.ZipFile(pipe if to_pipe else file, "w", method) as archive:
        if folders:
            for folder in sorted({path.rpartition("/")[0] for path in files if "/" in path}):
                archive.writestr(f"{around}{folder}/", b"")
        for path, content in files.items():
            archive.writestr(f"{around}{path}", content)
    return bytes(pipe.data) if to_pipe else file.getvalue()


@given(TREES, st.booleans(), st.booleans(), st.sampled_from(["", "mybot/"]))
def test_every_valid_tree_survives_packing_and_all_readers_agree(
    files: dict[str, bytes], to_pipe: bool, folders: bool, around: str
) -> None:
    data = packed(files, to_pipe=to_pipe, method=zipfile.ZIP_DEFLATED, folders=folders, around=around)
    assert read_upload("bot.zip", data).files == files
    assert read_from_the_back(data) == read_from_the_front(data)


@given(TREES, st.randoms(use_true_random=False))
def test_the_digest_is_that_of_the_contents_however_they_are_packed(files: dict[str, bytes], random: Any) -> None:
    paths = list(files)
    random.shuffle(paths)
    first = packed(files, to_pipe=True, method=zipfile.ZIP_DEFLATED, folders=False)
    second = packed({path: files[path] for path in paths}, to_pipe=False, method=zipfile.ZIP_STORED, folders=True)
    assert read_upload("a.zip", first).digest == read_upload("b.zip", second).digest


@given(TREES, TREES)
def test_other_contents_have_another_digest(first: dict[str, bytes], second: dict[str, bytes]) -> None:
    digests = [
        read_upload("bot.zip", packed(files, to_pipe=False, method=zipfile.ZIP_DEFLATED, folders=False)).digest
        for files in (first, second)
    ]
    assert (digests[0] == digests[1]) is (first == second)


def test_the_digest_is_as_it_is_described_and_never_changes() -> None:
    described = sha256(bytes([0, 0, 0, 0, 0, 0, 0, 6]) + b"bot.py" + bytes([0, 0, 0, 0, 0, 0, 0, 4]) + b"pass")
    assert read_upload("bot.py", b"pass").digest == described.hexdigest()


@needs_zip
@pytest.mark.parametrize("command", ["zip -qr {} .", "zip -qr - . | cat > {}", "zip -q0r {} .", "zip -q9rD {} ."])
def test_archives_of_info_zip_are_accepted(tmp_path: Path, command: str) -> None:
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.py").write_text("pass")
    (folder / "lib" / "much.txt").write_text("much " * 1000)
    subprocess.run(["sh", "-c", command.format("../bot.zip")], cwd=folder, check=True)
    assert set(read_upload("bot.zip", (tmp_path / "bot.zip").read_bytes()).files) == {"bot.py", "lib/much.txt"}


@needs_zip
def test_a_link_that_info_zip_keeps_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.py").symlink_to("/etc/passwd")
    subprocess.run(["zip", "-qry", "bot.zip", "bot.py"], cwd=tmp_path, check=True)
    with pytest.raises(ArchiveRefused) as caught:
        read_upload("bot.zip", (tmp_path / "bot.zip").read_bytes())
    assert caught.value.code == "link"


def test_files_are_readable_and_not_executable_for_all_users(tmp_path: Path) -> None:
    data = packed({"bot.py": b"pass", "lib/a.py": b"x = 1"}, to_pipe=False, method=zipfile.ZIP_STORED, folders=True)
    read_upload("bot.zip", data).write_to(tmp_path / "bot")
    written = {path.relative_to(tmp_path / "bot").as_posix(): path for path in (tmp_path / "bot").rglob("*")}
    assert set(written) == {"bot.py", "lib", "lib/a.py"}
    assert written["lib/a.py"].read_bytes() == b"x = 1"
    assert stat.S_IMODE(written["bot.py"].stat().st_mode) == 0o644
    with pytest.raises(FileExistsError):
        read_upload("bot.zip", data).write_to(tmp_path / "bot")


def test_an_executable_can_be_executed_on_whatever_system_it_was_packed(tmp_path: Path) -> None:
    manifest = b'language = "executable"\ncommand = ["bin/bot", "--fast"]'
    data = packed({"bin/bot": program(), "bot.toml": manifest}, to_pipe=False, method=zipfile.ZIP_STORED, folders=False)
    archive = read_upload("bot.zip", data)
    archive.write_to(tmp_path / "bot")
    assert archive.manifest.args == ("--fast",)
    assert stat.S_IMODE((tmp_path / "bot" / "bin" / "bot").stat().st_mode) == 0o755
    if sys.platform == "linux" and platform.machine() == "x86_64":
        subprocess.run([tmp_path / "bot" / "bin" / "bot"], check=True)
