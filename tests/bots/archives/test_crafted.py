from __future__ import annotations

import io
import zipfile

import pytest

from bots.archives import Archive, ArchiveLimits, ArchiveRefused, read_upload
from tests.bots.archives.crafted import BOTS, FORM, KINDS, NAMES, PACKING, SMALL, TAKEN, UPLOADS
from tests.bots.archives.zips import Member, zip_of

REFUSED = {**NAMES, **KINDS, **PACKING, **FORM, **BOTS}


def refusal(filename: str, data: bytes) -> ArchiveRefused:
    with pytest.raises(ArchiveRefused) as caught:
        read_upload(filename, data, SMALL)
    return caught.value


def is_one_line(text: str) -> bool:
    return text.isprintable() and text.endswith(".") and len(text) < 260


@pytest.mark.parametrize(("data", "code"), REFUSED.values(), ids=REFUSED.keys())
def test_a_dangerous_or_ambiguous_archive_is_refused(data: bytes, code: str) -> None:
    caught = refusal("bot.zip", data)
    assert caught.code == code
    assert is_one_line(str(caught))
    assert caught.file in str(caught)
    assert bool(caught.file) is not str(caught).startswith("The ")


@pytest.mark.parametrize(("filename", "data", "code"), UPLOADS.values(), ids=UPLOADS.keys())
def test_a_file_that_is_not_a_bot_is_refused(filename: str, data: bytes, code: str) -> None:
    caught = refusal(filename, data)
    assert caught.code == code
    assert is_one_line(str(caught))
    assert str(caught).startswith(caught.file)


@pytest.mark.parametrize(("data", "files"), TAKEN.values(), ids=TAKEN.keys())
def test_an_archive_that_honest_programs_make_is_taken(data: bytes, files: set[str]) -> None:
    archive = read_upload("bot.zip", data, SMALL)
    assert set(archive.files) == files
    assert archive.manifest.entry in files
    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None


def test_a_single_python_file_becomes_bot_py_whatever_its_name() -> None:
    alone: Archive = read_upload("C:\\bots\\Emerald 2.py", b"pass")
    assert alone.manifest.name == "Emerald 2"
    assert alone.files == {"bot.py": b"pass"}
    assert alone.digest == read_upload("other.PY", b"pass").digest


def node_modules(around: str, count: int) -> bytes:
    """A bot with the packages of npm in one archive, ``count`` files of two packages."""
    return zip_of(
        Member(f"{around}bot.py", b"pass"),
        *(Member(f"{around}node_modules/{number % 2}/{number}.js") for number in range(count)),
    )


@pytest.mark.parametrize(("around", "count"), [("", 15), ("", 60), ("mybot/", 15), ("mybot/", 60), ("./mybot/", 60)])
def test_the_folder_with_most_of_too_many_files_is_named(around: str, count: int) -> None:
    caught = refusal("bot.zip", node_modules(around, count))
    assert caught.code == ("too_many_files" if count <= SMALL.entries else "too_many_entries")
    assert f"{around.removeprefix('./')}node_modules)" in str(caught)
    assert ".venv" not in str(caught)


def test_hidden_files_are_left_out_with_a_notice_that_names_them() -> None:
    hidden = (Member("mybot/.git/config", b"x"), Member("mybot/.git/HEAD", b"x"), Member("mybot/.env", b"KEY=1"))
    archive = read_upload("bot.zip", zip_of(Member("mybot/bot.py", b"pass"), *hidden, Member("mybot/.DS_Store")))
    (notice,) = archive.notices
    assert (notice.code, archive.is_reduced) == ("hidden_files", True)
    assert "mybot/.git, mybot/.env:" in notice.text
    assert archive.digest == read_upload("bot.py", b"pass").digest


def test_an_archive_without_hidden_files_needs_no_notice() -> None:
    archive = read_upload("bot.zip", zip_of(Member("./", mode=0o040755), Member("./bot.py", b"pass")))
    assert (archive.notices, archive.is_reduced) == ((), False)


def test_an_archive_that_was_stored_with_hidden_files_keeps_its_digest() -> None:
    data = zip_of(Member("bot.py", b"pass"), Member(".env", b"KEY=1"))
    archive = read_upload("bot.zip", data, ArchiveLimits(hidden=True))
    assert set(archive.files) == {"bot.py", ".env"}
    assert (archive.notices, archive.is_reduced) == ((), False)


def test_the_largest_file_of_a_large_upload_is_named() -> None:
    data = zip_of(Member("bot.py", b"pass"), Member("weights.bin", bytes(20_000), method=0))
    assert "weights.bin" in str(refusal("bot.zip", data))


@pytest.mark.parametrize(
    ("manifest", "source"),
    [
        ('language = "executable"\ncommand = ["bot"]', "bot.go"),
        ('language = "java"\ncommand = ["bot.jar"]', "Bot.java"),
        ('language = "wasm"\ncommand = ["bot.wasm"]', "bot.c"),
        ('language = "javascript"\ncommand = ["bot.js"]', "bot.py"),
    ],
)
def test_no_file_is_proposed_that_the_language_cannot_start(manifest: str, source: str) -> None:
    data = zip_of(Member(source, b"int main() {}"), Member("bot.toml", manifest.encode()))
    caught = refusal("bot.zip", data)
    assert caught.code == "entry_missing"
    assert source not in str(caught)
    assert "If you mean" not in str(caught)


def test_a_program_in_another_folder_is_proposed() -> None:
    data = zip_of(
        Member("src/start.js", b"go()"), Member("bot.toml", b'language = "javascript"\ncommand = ["start.js"]')
    )
    assert "src/start.js" in str(refusal("bot.zip", data))
