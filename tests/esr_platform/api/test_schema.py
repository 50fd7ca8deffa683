from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
import schemathesis
from django.conf import settings
from django.test import Client
from django.urls import get_resolver
from jsonschema import Draft202012Validator

from esr_platform.api.openapi import document as schema
from esr_platform.api.urls import urlpatterns
from tests.esr_platform.api.conftest import document

PAGES = {"", "redoc", "schema", "errors"}
"""What programs do not ask."""


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in schema()["paths"].items():
        for method, operation in item.items():
            yield f"{method.upper()} {path}", operation


def examples() -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Every body in the document, with its schema and its example."""
    for name, operation in operations():
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        answers = [answer for answer in operation["responses"].values() if "content" in answer]
        for body in [*bodies, *answers]:
            for kind, content in body["content"].items():
                yield f"{name} {kind}", content["schema"], content.get("example")
    for name, response in schema()["components"]["responses"].items():
        for content in response["content"].values():
            yield name, content["schema"], content["example"]


def test_the_document_is_valid_openapi_3_1() -> None:
    assert schema()["openapi"] == "3.1.0"
    schemathesis.openapi.from_dict(deepcopy(schema())).validate()


def test_every_endpoint_is_in_the_document() -> None:
    resolver = get_resolver(tuple(urlpatterns))
    named = {path[0][0][0] for path in resolver.reverse_dict.values()} - PAGES
    described = {path.removeprefix("/api/v1/").replace("{", "%(").replace("}", ")s") for path in schema()["paths"]}
    assert described == named


def test_every_operation_has_a_summary_and_an_example() -> None:
    for name, operation in operations():
        assert operation["summary"], name
        assert all(parameter["description"] for parameter in operation.get("parameters", [])), name
        answer = next((operation["responses"][code] for code in ("200", "201") if code in operation["responses"]), {})
        for kind, content in answer.get("content", {}).items():
            assert "example" in content or content["schema"].get("format") == "binary", f"{name} {kind}"


def test_the_body_of_every_operation_that_has_required_fields_is_required() -> None:
    bodies = {
        operation["operationId"]: operation["requestBody"]
        for _, operation in operations()
        if "requestBody" in operation
    }
    assert bodies["exhibition"]["required"]
    schemas = schema()["components"]["schemas"]
    for name, body in bodies.items():
        for content in body["content"].values():
            body_schema = schemas.get(content["schema"].get("$ref", "").rpartition("/")[2], content["schema"])
            parts = [schemas[reference["$ref"].rpartition("/")[2]] for reference in body_schema.get("oneOf", [])] or [
                body_schema
            ]
            if all(part.get("required") for part in parts):
                assert body.get("required"), name


def test_operation_ids_are_unique() -> None:
    names = [operation["operationId"] for _, operation in operations()]
    assert len(set(names)) == len(names)


def test_every_example_matches_its_schema() -> None:
    for name, shape, example in examples():
        if example is None or shape == {"type": "string"}:
            continue
        whole = {**shape, "components": schema()["components"]}
        assert list(Draft202012Validator(whole).iter_errors(example)) == [], name


def test_every_link_connects_an_existing_field_and_parameter() -> None:
    by_name = {operation["operationId"]: operation for _, operation in operations()}
    for name, operation in by_name.items():
        for answer in operation["responses"].values():
            for link in answer.get("links", {}).values():
                known = {parameter["name"] for parameter in by_name[link["operationId"]]["parameters"]}
                assert set(link["parameters"]) <= known, name
                for expression in link["parameters"].values():
                    assert _found(expression, next(iter(answer["content"].values()))["example"]) is not None


def test_public_operations_accept_a_token_but_do_not_need_one() -> None:
    for name, operation in operations():
        if operation["operationId"] in {"matches", "bots", "ladder", "record"}:
            assert operation["security"] == [{}, {"token": []}], name
    post = schema()["paths"]["/api/v1/bots"]["post"]
    assert {} not in post["security"]


def test_the_bot_parameter_describes_when_it_is_required() -> None:
    """It depends on the token, so the parameter itself is optional."""
    writing = {"own_bot", "accept_challenge", "bot_stream", "next_decision", "game_decision", "table_view"}
    for name, operation in operations():
        for parameter in operation.get("parameters", []):
            if operation["operationId"] in writing and parameter["name"] == "bot":
                writing.remove(operation["operationId"])
                assert "`bot_missing`" in parameter["description"], name
    assert not writing


@pytest.mark.parametrize("page", ["", "redoc"])
def test_the_reference_pages_load_nothing_from_other_sites(db: None, page: str) -> None:
    answer = Client().get(f"/api/v1/{page}")
    content = answer.content.decode()
    assert "/static/drf_spectacular_sidecar/" in content
    assert "http" not in content.replace("http-equiv", "")
    assert "<style" not in content
    assert "'unsafe-inline'" not in answer.headers["Content-Security-Policy"]


def test_redoc_is_not_cached_with_the_policy_of_other_pages(db: None) -> None:
    client = Client()
    answer = client.get("/api/v1/redoc")
    assert answer.headers["Cache-Control"] == "no-store"
    assert "ETag" not in answer.headers


def test_the_document_has_an_etag(db: None) -> None:
    client = Client()
    answer = client.get("/api/v1/schema")
    assert document(answer)["info"]["version"] == "1"
    assert client.get("/api/v1/schema", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_the_compressed_document_is_the_same_bytes_each_time(db: None) -> None:
    answers = [Client().get("/api/v1/schema", headers={"Accept-Encoding": "gzip"}) for _ in range(2)]
    assert {answer.headers["Content-Encoding"] for answer in answers} == {"gzip"}
    assert answers[0].content == answers[1].content
    assert gzip.decompress(answers[0].content) == Client().get("/api/v1/schema").content
    assert "Accept-Encoding" in answers[0].headers["Vary"]


def _found(expression: str, example: Any) -> Any:
    """What an expression such as ``$response.body#/results/0/slug`` finds in an example."""
    for part in expression.partition("#/")[2].split("/"):
        example = example[int(part) if isinstance(example, list) else part]
    return example


def test_each_operation_has_one_media_type_for_its_body() -> None:
    for name, operation in operations():
        assert len(operation.get("requestBody", {"content": [None]})["content"]) == 1, name


def test_each_field_of_a_response_is_required() -> None:
    schemas = schema()["components"]["schemas"]
    ladder = schemas["LadderDocument"]
    assert set(ladder["required"]) == set(ladder["properties"])
    assert all(
        set(page_schema["required"]) == set(page_schema["properties"])
        for name, page_schema in schemas.items()
        if name.endswith("Page")
    )


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" ,\n", "\t: ")])
def test_seat_counts_of_an_upload_match_their_pattern_with_any_spacing(separators: tuple[str, str]) -> None:
    games = schema()["components"]["schemas"]["UploadForm"]["properties"]["games"]
    Draft202012Validator(games).validate(games["default"])
    written = json.dumps({"die-weinhaendler": [3, 4], "edel-stein-reich-duel": [2]}, separators=separators)
    Draft202012Validator(games).validate(written)


def test_the_document_names_server_contact_and_license() -> None:
    assert schema()["servers"] == [{"url": settings.SITE_URL}]
    assert schema()["info"]["license"]["identifier"] == "CC-BY-4.0"
    assert schema()["info"]["contact"]["url"]
