from __future__ import annotations

import io
import zipfile

import pytest

from bots.archives import Archive, ArchiveRefused, read_upload
from tests.bots.archives.crafted import BOTS, FORM, KINDS, NAMES, PACKING, SMALL, TAKEN, UPLOADS

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


def test_a_python_file_alone_is_the_bot_py_of_an_archive_whatever_it_is_called() -> None:
    alone: Archive = read_upload("C:\\bots\\Emerald 2.py", b"pass")
    assert alone.manifest.name == "Emerald 2"
    assert alone.files == {"bot.py": b"pass"}
    assert alone.digest == read_upload("other.PY", b"pass").digest
