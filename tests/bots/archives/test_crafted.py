from __future__ import annotations

import io
import zipfile

import pytest

from bots.archives import Archive, Refused, read_upload
from tests.bots.archives.crafted import BOTS, FORM, KINDS, NAMES, PACKING, SMALL, TAKEN, UPLOADS

REFUSED = {**NAMES, **KINDS, **PACKING, **FORM, **BOTS}


def refusal(filename: str, data: bytes) -> Refused:
    with pytest.raises(Refused) as caught:
        read_upload(filename, data, SMALL)
    return caught.value


def is_one_sentence(text: str) -> bool:
    return text.isprintable() and text.endswith(".") and ". " not in text and len(text) < 260


@pytest.mark.parametrize(("data", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_an_archive_that_could_harm_or_mislead_is_refused_in_one_sentence(data: bytes, sentence: str) -> None:
    caught = refusal("bot.zip", data)
    assert str(caught).startswith(sentence)
    assert is_one_sentence(str(caught))
    assert caught.file in str(caught)
    assert bool(caught.file) is not str(caught).startswith("The ")


@pytest.mark.parametrize(("filename", "data", "sentence"), UPLOADS.values(), ids=UPLOADS.keys())
def test_what_is_no_bot_is_refused_with_what_to_upload_instead(filename: str, data: bytes, sentence: str) -> None:
    caught = refusal(filename, data)
    assert str(caught).startswith(sentence)
    assert is_one_sentence(str(caught))
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
