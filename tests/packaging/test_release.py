"""The files that name the version: project metadata, changelog and citation."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
import yaml

from tests.packaging.sources import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_version_has_a_dated_section_in_the_changelog() -> None:
    dated = dict(re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", CHANGELOG, flags=re.MULTILINE))
    assert PROJECT["version"] in dated
    assert str(CITATION["date-released"]) == dated[PROJECT["version"]]


def test_the_citation_file_names_this_version_and_its_license() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["authors"] == [{"name": author["name"]} for author in PROJECT["authors"]]
    assert {"message", "title"} <= CITATION.keys()


@pytest.mark.parametrize(
    "form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda form: form.stem
)
def test_an_issue_form_has_what_the_form_needs(form: Any) -> None:
    document = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= document.keys()
    fields = [field for field in document["body"] if field["type"] != "markdown"]
    assert all(field["attributes"]["label"] for field in fields)
    assert len({field["id"] for field in fields}) == len(fields)
