"""The codes of rejected requests: the list of the API against the code and the documentation."""

from __future__ import annotations

import ast
import re
from functools import cache
from http import HTTPStatus
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from esr_platform.api.codes import ARCHIVES, LIMITS, REQUESTS, RULES, WORKERS
from esr_platform.api.http import problem as problem_document
from esr_platform.api.openapi import document
from ladder.models import Proposal

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/reference/api.md").read_text(encoding="utf-8")

LISTS = {"Codes of rules": RULES, "Codes of archives": ARCHIVES, "Codes of limits": LIMITS}


@cache
def calls() -> list[tuple[str, ast.Call]]:
    """Every call in the code, with the last name of what is called."""
    paths = [path for package in ("bots", "ladder", "esr_platform") for path in (ROOT / package).rglob("*.py")]
    nodes = (node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return [
        (node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id, node)
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name)
    ]


def literal_codes(*errors: str, argument: int | None = None) -> set[str]:
    """The codes with which the code creates ``errors``: the keyword ``code``, or the positional ``argument``."""
    literals: set[str] = set()
    for name, node in calls():
        if name in errors:
            codes = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
            codes += [] if argument is None else node.args[argument : argument + 1]
            literals |= {str(constant.value) for constant in codes if isinstance(constant, ast.Constant)}
    return literals


def anchor(code: str) -> str:
    return str(problem_document(HTTPStatus.BAD_REQUEST, code, "")["type"]).removeprefix(settings.SITE_URL)


def section(title: str) -> str:
    return PAGE.partition(f"### {title}\n")[2].partition("\n##")[0]


def test_the_lists_contain_the_codes_of_all_errors() -> None:
    ends = set(Proposal.State.values) - {Proposal.State.OPEN.value}
    assert set(RULES) == literal_codes("Refused", "NameRefused", "CannotJoin", "refusal") | ends
    assert set(LIMITS) == literal_codes("TooMany", "Limit")
    of_manifests = {f"manifest_{code}" for code in literal_codes("ManifestError", argument=1)}
    of_files = literal_codes("FileFault", argument=0) | literal_codes("ArchiveRefused", argument=1)
    assert set(ARCHIVES) == of_files | of_manifests


def test_the_lists_are_sorted_and_name_each_code_once() -> None:
    for codes in LISTS.values():
        assert list(codes) == sorted(set(codes))
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", code) for code in codes)


def test_the_documentation_and_the_openapi_document_contain_the_lists() -> None:
    code = document()["components"]["schemas"]["ProblemDocument"]["properties"]["code"]
    for title, codes in LISTS.items():
        assert re.findall(r"`(\w*[a-z0-9])`", section(title)) == list(codes)
        assert set(re.findall(r"`(\w+)`", code["description"])) >= set(codes)


@pytest.mark.django_db
def test_the_type_of_each_error_is_the_place_of_its_code_on_a_page() -> None:
    page = Client().get("/api/v1/errors").content.decode()
    places = re.findall(r'<(?:li|dt) id="(\w+)">', page)
    assert len(places) == len(set(places))
    assert set(places) == {*REQUESTS, *RULES, *ARCHIVES, *LIMITS, *WORKERS}
    assert anchor("late") == "/api/v1/errors#late"


def test_the_codes_about_requests_are_those_of_the_code_and_of_the_documentation() -> None:
    table = PAGE.partition("| status | `code` | meaning |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`([a-z_]+)`", re.sub(r"`(?:fields|Retry-After)`", "", table))) == set(REQUESTS)
    assert literal_codes("Refusal", argument=1) - {*RULES, *WORKERS, "invalid"} <= set(REQUESTS)
