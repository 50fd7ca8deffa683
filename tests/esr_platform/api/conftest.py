"""People with tokens, and a client that speaks to the API as a program does."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from bots.models import Bot
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, User
from ladder.models import Ladder
from tests.build import DUEL, opened_house, uploaded
from tests.ladder.conftest import house, ladder, match, played

__all__ = ["house", "ladder", "match", "played"]

BOT = b"import sys\nfor line in sys.stdin:\n    print('{}', flush=True)\n"


def archive(**files: bytes) -> bytes:
    """A zip of files, by name without the dot: ``bot_py`` is bot.py."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, data in files.items():
            file.writestr(name.replace("_", "."), data)
    return packed.getvalue()


@dataclass
class Program:
    """A program that acts with a token; without one it is a stranger."""

    user: User | None = None
    secret: str = ""
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret}"} if self.secret else {}

    def get(self, address: str, **headers: str) -> HttpResponse:
        return self.client.get(f"/api/v1/{address}", headers={**self.headers, **headers})

    def send(self, method: str, address: str, body: Any = None, **options: Any) -> HttpResponse:
        """Send a JSON document, or no body."""
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        url = f"/api/v1/{address}"
        sent: HttpResponse = self.client.generic(method, url, data, "application/json", headers=self.headers, **options)
        return sent

    def upload(self, address: str = "bots", filename: str = "bot.py", data: bytes = BOT, **form: Any) -> HttpResponse:
        form["file"] = SimpleUploadedFile(filename, data)
        return self.client.post(f"/api/v1/{address}", form, headers=self.headers)


def document(answer: HttpResponse) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(answer.content)
    return content


def read(address: str, **headers: str) -> dict[str, Any]:
    """The document at a URL below ``/api/v1/`` that everybody may read."""
    answer = Client().get(f"/api/v1/{address}", headers=headers)
    assert answer.status_code == 200, answer.content
    return document(answer)


def walked(address: str, **parameters: Any) -> list[dict[str, Any]]:
    """All rows of a list, part by part."""
    following, rows = f"{address}?{urlencode(parameters)}", []
    while following:
        part = read(following)
        rows += part["results"]
        following = (part["next"] or "").partition("/api/v1/")[2]
    return rows


def problem(answer: HttpResponse, status: int, code: str) -> dict[str, Any]:
    """The problem document of an answer that has to be one."""
    content = document(answer)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert (answer.status_code, content["status"], content["code"]) == (status, status, code), content
    assert content["title"] and content["type"]
    assert content["detail"].endswith(".")
    return content


@pytest.fixture(autouse=True)
def _own_storage(tmp_path: Path, settings: Settings) -> None:
    """What a test uploads stays in its folder."""
    here = {"location": str(tmp_path / "uploads")}
    settings.STORAGES = {**settings.STORAGES, "uploads": {**settings.STORAGES["uploads"], "OPTIONS": here}}


def person(name: str, *scopes: Scope) -> Program:
    """A new person with a token of these scopes."""
    user = User.objects.create_user(name)
    return Program(user, tokens.issue(user, "test", scopes, None)[1])


@pytest.fixture
def miriam(db: None) -> Program:
    return person("miriam", Scope.UPLOAD)


@pytest.fixture
def carl(db: None) -> Program:
    return person("carl", Scope.UPLOAD)


@pytest.fixture
def duel(db: None) -> Ladder:
    """The ladder for two, with the house bots."""
    opened_house()
    return Ladder.objects.get(slug=DUEL)


@pytest.fixture
def manager(duel: Ladder) -> Program:
    return person("miriam", Scope.MANAGE, Scope.UPLOAD)


@pytest.fixture
def carl_manages(duel: Ladder) -> Program:
    return person("carl", Scope.MANAGE)


@pytest.fixture
def bot(manager: Program) -> Bot:
    assert manager.user is not None
    return uploaded(manager.user, "Magpie")


@pytest.fixture
def secret(played: Ladder) -> Ladder:
    """A ladder with finished matches that is now private."""
    Ladder.objects.filter(pk=played.pk).update(private=True, by_invitation=True)
    played.refresh_from_db()
    return played
