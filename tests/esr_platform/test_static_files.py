from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client, override_settings

from esr_platform.static_files import imported, imports

HASHED = {"staticfiles": {"BACKEND": "esr_platform.static_files.HashedFiles"}}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the static files are collected, once."""
    folder = tmp_path_factory.mktemp("static")
    with override_settings(STATIC_ROOT=folder, STORAGES={**settings.STORAGES, **HASHED}):
        call_command("collectstatic", verbosity=0, interactive=False)
    return folder


@pytest.fixture
def collected(files: Path) -> Iterator[Path]:
    """The static files as a running site has them."""
    with override_settings(STATIC_ROOT=files, STORAGES={**settings.STORAGES, **HASHED}):
        yield files


@pytest.mark.django_db
def test_pages_name_files_by_their_content_and_browsers_keep_them(collected: Path) -> None:
    client = Client()
    page = client.get("/about/").content.decode()
    sheet = re.findall(r'href="(/static/esr/site\.[0-9a-f]{12}\.css)"', page)[0]
    response = client.get(sheet, headers={"accept-encoding": "gzip"})
    assert response.headers["Cache-Control"] == "max-age=315360000, public, immutable"
    assert response.headers["Content-Encoding"] == "gzip"


def test_modules_import_each_other_by_their_hashed_names(collected: Path) -> None:
    for module in collected.glob("esr/**/*.js"):
        if not re.search(r"\.[0-9a-f]{12}\.js$", module.name):
            continue
        for name in re.findall(r"""(?m)^import[^'"();]*["']([^"']+)""", module.read_text()):
            assert re.search(r"\.[0-9a-f]{12}\.js$", name), f"{module.name} imports {name}"
            assert (module.parent / name).resolve().exists() or name.startswith("/")


def test_everything_that_can_be_is_compressed(collected: Path) -> None:
    sheet = next(collected.glob("esr/base.*.css"))
    assert gzip.decompress(Path(f"{sheet}.gz").read_bytes()) == sheet.read_bytes()
    assert list(collected.glob("drf_spectacular_sidecar/**/*.js.gz"))


@pytest.mark.django_db
@override_settings(STORAGES={**settings.STORAGES, **HASHED})
def test_a_site_that_collected_nothing_serves_the_files_as_they_lie(client: Client, tmp_path: Path) -> None:
    with override_settings(STATIC_ROOT=tmp_path):
        page = client.get("/about/").content.decode()
    assert 'href="/static/esr/site.css"' in page
    assert client.get("/static/esr/site.css").status_code == 200


@pytest.mark.django_db
def test_pages_are_compressed_and_differ_in_length_each_time(client: Client) -> None:
    """A length must not reveal a secret next to text that an attacker chose (BREACH)."""
    answers = [client.get("/about/", headers={"accept-encoding": "gzip"}) for _ in range(8)]
    assert {answer.headers["Content-Encoding"] for answer in answers} == {"gzip"}
    assert "Accept-Encoding" in answers[0].headers["Vary"]
    assert len({len(answer.content) for answer in answers}) > 1


def test_the_sheet_of_all_pages_contains_the_sheets_that_it_imports(collected: Path) -> None:
    sheet = next(collected.glob("esr/site.*.css")).read_text()
    assert "@import" not in sheet
    for name in ("tokens", "base", "parts", "search", "drawings/gem", "print"):
        text = Path(str(finders.find(f"esr/{name}.css"))).read_text()
        assert text.strip() in sheet, name


# --- Modules ---------------------------------------------------------------------------------------------------------


def test_the_imports_of_every_module_are_modules_of_the_site() -> None:
    graph = imports()
    assert {name for names in graph.values() for name in names} <= set(graph)
    assert "esr/words.js" in graph["esr/replay/controls.js"]
    assert graph["esr/words.js"] == ()


def test_a_module_comes_with_all_that_it_imports_each_once_and_nearest_first() -> None:
    names = imported("esr/replay.js", "esr/boards/gems.js")
    assert names[:2] == ("esr/replay.js", "esr/boards/gems.js")
    assert len(names) == len(set(names))
    assert all(set(imports()[name]) <= set(names) for name in names)
    assert names.index("esr/replay/scrubber.js") < names.index("esr/boards/gems/rows.js")


@pytest.mark.django_db
def test_a_page_preloads_each_module_that_its_scripts_import_and_no_module_twice(client: Client) -> None:
    page = client.get("/rules/edel-stein-reich/tutorial/").content.decode()
    preloads = re.findall(r'<link rel="modulepreload" href="/static/([^"]+)">', page)
    scripts = re.findall(r'<script type="module" src="/static/([^"]+)"></script>', page)
    assert len(preloads) == len(set(preloads))
    assert set(imported(*scripts)) == {*scripts, *preloads}
