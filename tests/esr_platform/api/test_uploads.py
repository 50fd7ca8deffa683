from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from bots.models import Bot, BotVersion, Upload
from esr_platform.accounts.models import Token
from tests.esr_platform.api.conftest import BOT, Program, archive, document, problem

pytestmark = pytest.mark.django_db


def test_an_uploaded_bot_can_be_followed_through_its_validation(miriam: Program) -> None:
    answer = miriam.upload(name="Citrine", games='{"die-weinhaendler": [3]}')
    assert answer.status_code == 201, answer.content
    assert answer.headers["Location"] == "/api/v1/bots/citrine/versions/1"
    version = document(answer)
    assert (version["bot"], version["number"], version["state"]) == ("citrine", 1, "received")
    assert version["claims"] == {"die-weinhaendler": [3]}
    again = miriam.client.get(answer.headers["Location"], headers=miriam.headers)
    assert document(again) == version
    bot = document(miriam.get("bots/citrine"))
    assert bot["name"] == "Citrine"
    assert [version["number"] for version in bot["versions"]] == [1]


def test_the_name_in_the_archive_is_the_default(miriam: Program) -> None:
    data = archive(bot_py=BOT, bot_toml=b'name = "Garnet"')
    assert document(miriam.upload(filename="x.zip", data=data))["bot"] == "garnet"


def test_new_code_creates_a_version_and_known_code_returns_the_old_one(miriam: Program) -> None:
    miriam.upload(name="Citrine")
    answer = miriam.upload("bots/citrine/versions", data=BOT + b"# 2\n")
    assert (answer.status_code, document(answer)["number"]) == (201, 2)
    answer = miriam.upload("bots/citrine/versions")
    assert (answer.status_code, document(answer)["number"]) == (200, 1)
    assert BotVersion.objects.count() == 2


def test_a_version_shows_its_owner_what_was_left_out(miriam: Program) -> None:
    created = document(miriam.upload(filename="x.zip", data=archive(bot_py=BOT, _git_config=b"x"), name="Citrine"))
    shown = document(miriam.get("bots/citrine/versions/1"))
    assert [notice["code"] for notice in shown["notices"]] == ["hidden_files"]
    assert shown["notices"] == created["notices"]


def test_a_rejected_version_shows_its_reason_and_report(miriam: Program) -> None:
    miriam.upload(name="Citrine")
    BotVersion.objects.update(state="refused", reason="It did not start.", validation_report={"ok": False})
    version = document(miriam.get("bots/citrine/versions/1"))
    assert version["state"] == "refused"
    assert version["reason"] == "It did not start."
    assert version["validation_report"] == {"ok": False}


def test_an_invalid_upload_is_refused_with_a_reason(miriam: Program) -> None:
    problem(miriam.upload(filename="bot.zip", data=archive(other_py=BOT)), 422, "entry_missing")
    assert not Bot.objects.exists()


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ({"games": "[3]"}, "games"),
        ({"games": '{"x": "3"}'}, "games"),
        ({"games": '{"x": [3.0]}'}, "games"),
        ({"games": "[" * 100_000}, "games"),
        ({"games": '{"x":[1' + "0" * 5000 + "]}"}, "games"),
        ({"games": "NaN"}, "games"),
        ({"name": "x" * 41}, "name"),
        ({"name": "a\0b"}, "name"),
    ],
)
def test_an_invalid_field_is_named(miriam: Program, form: dict[str, str], wrong: str) -> None:
    error = problem(miriam.upload(**form), 400, "invalid")
    assert list(error["fields"]) == [wrong]


def test_an_unknown_game_is_named(miriam: Program) -> None:
    assert "chess" in problem(miriam.upload(name="x1", games='{"chess": [2]}'), 422, "unknown_game")["detail"]


def test_an_upload_needs_a_file(miriam: Program) -> None:
    answer = miriam.client.post("/api/v1/bots", {"name": "Citrine"}, headers=miriam.headers)
    assert list(problem(answer, 400, "invalid")["fields"]) == ["file"]


def test_uploads_per_hour_are_limited_with_retry_after(miriam: Program, settings: Settings) -> None:
    settings.MAX_UPLOADS_PER_HOUR = 1
    miriam.upload(name="Citrine")
    answer = miriam.upload("bots/citrine/versions", data=BOT + b"# 2\n")
    problem(answer, 429, "uploads_per_hour")
    assert 0 < int(answer.headers["Retry-After"]) <= 3600


def test_a_permanent_limit_has_no_retry_after(miriam: Program, settings: Settings) -> None:
    settings.MAX_BOTS_PER_USER = 1
    miriam.upload(name="Citrine")
    answer = miriam.upload(name="Garnet", data=BOT + b"# 2\n")
    problem(answer, 409, "bots_per_user")
    assert "Retry-After" not in answer.headers


def test_bots_of_others_look_like_unknown_bots(miriam: Program, carl: Program) -> None:
    miriam.upload(name="Citrine")
    for address in ("bots/citrine", "bots/citrine/versions/1"):
        stranger, nothing = (document(carl.get(url)) for url in (address, address.replace("citrine", "nothing")))
        assert stranger["status"] == 404
        assert stranger == {**nothing, "detail": nothing["detail"].replace("nothing", "citrine")}
    problem(carl.upload("bots/citrine/versions", data=BOT + b"# mine\n"), 404, "not_found")
    assert BotVersion.objects.count() == 1
    assert Upload.objects.count() == 1


def test_a_token_without_the_scope_upload_reads_only_public_data(miriam: Program) -> None:
    miriam.upload(name="Citrine")
    Token.objects.update(scopes=[])
    problem(miriam.upload(name="Garnet"), 403, "permission_denied")
    for address in ("bots/citrine", "bots/citrine/versions", "bots/citrine/versions/1"):
        problem(miriam.get(address), 404, "not_found")


@pytest.mark.parametrize("header", ["Basic bWlyaWFtOng=", "Bearer", "Bearer esr_nobody", "esr_x", "Bearer a b c", "é"])
def test_an_invalid_token_is_refused(miriam: Program, header: str) -> None:
    answer = Client().get("/api/v1/bots/citrine", headers={"Authorization": header})
    problem(answer, 401, "authentication_failed")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_cookies_are_not_accepted(miriam: Program) -> None:
    client = Client()
    assert miriam.user is not None
    client.force_login(miriam.user)
    problem(client.post("/api/v1/bots", {"name": "x"}), 401, "not_authenticated")


def test_the_limits_and_languages_are_public(db: None, settings: Settings) -> None:
    limits = document(Program().get("uploads/limits"))
    assert limits["limits"]["archive_bytes"] == settings.MAX_ARCHIVE_BYTES
    assert limits["playing"]["memory_mb"] == 512
    assert "python" in [language["name"] for language in limits["languages"]]


@pytest.mark.parametrize("filename", ["../../../etc/passwd.py", "C:\\x.py", "a\u202eyp.py", "x" * 300 + ".py", "-.py"])
def test_a_file_name_cannot_leave_its_folder_or_hide_characters(miriam: Program, filename: str) -> None:
    answer = miriam.upload(filename=filename, name="Citrine")
    assert answer.status_code in (201, 400, 422), answer.content
    for version in BotVersion.objects.all():
        assert ".." not in f"{version.filename} {version.archive}"
        assert "\u202e" not in version.filename


@pytest.mark.parametrize("number", ["0", "99999999999999999999", "9" * 400])
def test_an_unknown_version_is_not_found(miriam: Program, number: str) -> None:
    miriam.upload(name="Citrine")
    problem(miriam.get(f"bots/citrine/versions/{number}"), 404, "not_found")


def test_a_form_with_too_many_fields_is_refused(miriam: Program) -> None:
    problem(miriam.upload(**{f"f{number}": "x" for number in range(2000)}), 400, "bad_request")


def test_markup_in_a_name_is_not_interpreted(miriam: Program) -> None:
    answer = miriam.upload(name="<img src=x onerror=alert(1)>")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert document(answer)["bot"] == "img-src-x-onerror-alert-1"
