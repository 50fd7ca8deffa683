from __future__ import annotations

import io
import re
import tomllib
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from bots.archives import zip_of
from bots.models import Bot, BotVersion
from bots.starter_kits import KITS, Kit, starting_kit
from bots.uploads.upload import upload_version
from games.registry import GAMES
from ladder.matches.assignments import spec_of
from ladder.matches.play import program_here
from ladder.matches.schedule import fill
from ladder.members.memberships import enter
from ladder.members.memberships import leave as leave_ladder
from ladder.models import Attempt, Ladder, Rerun, Season, SeatLog
from tests.build import DUEL, HONEST, claimed, first_players, person, scheduled, signed_in, uploaded
from tests.ladder.pages.people import FILENAME, HOSTILE, NAME, SCRIPT, People, zipped
from tests.page import html, markup, page, parsed


def send(
    client: Client, address: str = "/bots/new/", data: bytes = HONEST, filename: str = "bot.py", **more: Any
) -> Any:
    return client.post(address, {"file": SimpleUploadedFile(filename, data), **more})


@pytest.mark.django_db
class TestUploading:
    """The form for a file."""

    def test_who_has_not_signed_in_sees_what_is_wanted_and_is_led_back(self, client: Client) -> None:
        text = html(client, "/bots/new/")
        assert 'href="/account/login/?next=/bots/new/"' in text
        assert 'href="/account/signup/?next=/bots/new/"' in text
        assert "8\u00a0MiB" in text
        assert 'type="file"' not in text
        client.post("/bots/new/", {"file": SimpleUploadedFile("bot.py", HONEST)})
        assert not Bot.objects.exists()

    def test_the_page_states_every_limit_language_and_game(self) -> None:
        text = html(signed_in(person("ada")), "/bots/new/")
        for words in ("8\u00a0MiB", "16\u00a0MiB", "200", "512\u00a0MiB", "Python", "Executable"):
            assert words in text
        for game in GAMES.values():
            assert f"/bots/starter/{game.slug}.zip" in text
            for count in game.seat_counts:
                assert f'value="{game.slug}:{count}"' in text

    def test_the_limits_are_those_of_the_settings(self, settings: Any) -> None:
        settings.MAX_ARCHIVE_BYTES = 3 << 20
        settings.MAX_UPLOADS_PER_HOUR = 77
        text = html(signed_in(person("ada")), "/bots/new/")
        assert "3\u00a0MiB" in text
        assert 'data-most-bytes="3145728"' in text
        assert "77" in text

    def test_a_file_becomes_a_bot_that_waits_for_its_check(self) -> None:
        client = signed_in(person("ada"))
        response = send(client, name="Magpie", formats=[f"{DUEL}:2", "edel-stein-reich:4"])
        version = BotVersion.objects.get()
        assert response.headers["Location"] == f"/bots/{version.bot.slug}/"
        assert version.bot.name == "Magpie"
        assert version.formats == {"edel-stein-reich": [4], DUEL: [2]}
        text = html(client, f"/bots/{version.bot.slug}/")
        assert 'data-state="received"' in text
        assert 'data-live="1500"' in text

    def test_without_a_choice_the_manifest_says_name_and_tables(self) -> None:
        send(signed_in(person("ada")), data=starting_kit(DUEL), filename="my-bot.zip")
        version = BotVersion.objects.get()
        assert version.bot.name == "my-bot"
        assert version.formats == {DUEL: [2]}

    @pytest.mark.parametrize(("filename", "data"), [("bot.py", b""), ("bot.zip", b"no zip"), ("notes.txt", b"hello")])
    def test_what_is_refused_is_said_beside_the_file_and_the_choices_stay(self, filename: str, data: bytes) -> None:
        response = send(signed_in(person("ada")), data=data, filename=filename, name="Kept", formats=[f"{DUEL}:2"])
        text = markup(response)
        assert (response.status_code, parsed(response).errors) == (422, {"file"})
        assert 'value="Kept"' in text
        assert f'value="{DUEL}:2" checked' in text
        assert not Bot.objects.exists()

    def test_a_name_that_cannot_be_had_is_said_beside_the_name(self) -> None:
        ada = person("ada")
        uploaded(ada, "Taken")
        for name in ("Taken", "\u202e", "x" * 41):
            assert parsed(send(signed_in(ada), data=b"# other\n" + HONEST, name=name)).errors == {"name"}, name

    def test_a_file_over_the_limit_is_refused_with_both_sizes(self, settings: Any) -> None:
        settings.MAX_ARCHIVE_BYTES = 1024
        text = send(signed_in(person("ada")), data=b"#" * 3000).content.decode()
        assert "2.9\u00a0KiB" in text
        assert "1\u00a0KiB" in text

    def test_too_many_uploads_are_said_above_the_form(self, settings: Any) -> None:
        settings.MAX_UPLOADS_PER_HOUR = 1
        client = signed_in(person("ada"))
        send(client, name="One")
        assert parsed(send(client, name="Two")).errors == {""}

    def test_a_table_that_is_not_there_is_refused(self) -> None:
        assert parsed(send(signed_in(person("ada")), formats=["chess:2"])).errors == {"formats"}

    def test_a_form_without_a_file_is_refused(self) -> None:
        assert parsed(signed_in(person("ada")).post("/bots/new/", {})).errors == {"file"}


@pytest.mark.django_db
@pytest.mark.parametrize("slug", GAMES)
def test_a_starter_kit_is_a_zip_with_a_bot_for_its_game(client: Client, slug: str) -> None:
    response = client.get(f"/bots/starter/{slug}.zip")
    assert response.headers["Content-Disposition"] == f'attachment; filename="my-bot-{slug}.zip"'
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert f"{slug} =" in archive.read("my-bot/bot.toml").decode()


@pytest.mark.django_db
@pytest.mark.parametrize("kit", KITS.values(), ids=KITS.keys())
def test_a_starter_kit_comes_in_every_language(client: Client, kit: Kit) -> None:
    response = client.get("/bots/starter/die-weinhaendler.zip", {"language": kit.name})
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        manifest = tomllib.loads(archive.read("my-bot/bot.toml").decode())
        assert (manifest["language"], manifest["command"]) == (kit.language, [kit.entry])
        assert f"my-bot/{kit.strategy}" in archive.namelist()


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["chess.zip", "die-weinhaendler.zip?language=cobol"])
def test_there_is_no_starter_kit_of_an_unknown_game_or_language(client: Client, path: str) -> None:
    html(client, f"/bots/starter/{path}", 404)


@pytest.mark.django_db
def test_a_list_without_bots_says_the_first_three_steps() -> None:
    text = html(signed_in(person("ada")), "/bots/mine/")
    assert text.count("/bots/starter/") == len(GAMES)
    assert 'href="/bots/new/"' in text
    assert "esr check" in text


def test_strangers_see_neither_refused_versions_nor_what_is_for_the_owner(people: People) -> None:
    for user in (None, people.bob):
        text = html(signed_in(user), f"/bots/{people.magpie.slug}/").split('id="matches"')[0]
        text = re.sub(r'<section id="history">.*?</section>', "", text, flags=re.DOTALL)  # it has played, somehow
        assert "v1" in text
        assert "v2" not in text
        assert "ejected" not in text
        assert "/activate/" not in text
        assert "versions/" not in text
        assert "Newcomer" not in html(signed_in(user), "/bots/")
        assert "/log/" not in html(signed_in(user), f"/matches/{people.match.pk}/")
    for user in (people.ada, people.eve):
        log = f"/matches/{people.match.pk}/seats/0/log/"
        assert log in page(signed_in(user), f"/matches/{people.match.pk}/").links


def test_a_refused_version_says_why_with_question_answer_and_stderr(people: People) -> None:
    text = html(signed_in(people.ada), f"/bots/{people.magpie.slug}/versions/2/")
    assert 'data-state="refused"' in text
    assert {element["data-note"] for element in parsed(text).all("pre", data_note=True)} == {
        "decision",
        "answer",
        "stderr",
    }
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "--seed check" in text
    own = html(signed_in(people.ada), f"/bots/{people.magpie.slug}/")
    assert 'data-state="refused"' in own
    assert 'data-active="1"' in own


def test_nothing_of_strangers_reaches_a_page_unescaped(people: People) -> None:
    people.magpie.description = f"{SCRIPT}\nsecond line"
    people.magpie.public_source = True
    people.magpie.pause_reason, people.magpie.paused = SCRIPT, people.magpie.created
    people.magpie.save()
    everywhere = [*people.addresses, "/", "/bots/", f"/ladders/{DUEL}/", "/matches/"]
    for user in (None, people.bob, people.ada, people.eve):
        for address in everywhere:
            text = signed_in(user).get(address).content.decode()
            for raw in (SCRIPT, NAME, FILENAME, "\x1b", "\u202e"):
                assert raw not in text, (user, address, raw)
            assert not re.search(r"<[^>]+\s(style|on[a-z]+)=", text), address
            assert "<style" not in text


def test_lists_read_no_report_of_a_check_however_large(people: People) -> None:
    """A stranger's code decides how much it writes to stderr, and lists have many rows."""
    for address in ("/matches/", f"/matches/{people.match.pk}/", f"/bots/{people.magpie.slug}/", "/bots/", "/"):
        with CaptureQueriesContext(connection) as queries:
            html(signed_in(people.bob), address)
        assert not [query["sql"] for query in queries if "validation_report" in query["sql"]], address


def test_scheduling_and_playing_read_no_report_of_a_check(people: People) -> None:
    with CaptureQueriesContext(connection) as queries:
        fill()
        spec_of(people.match, program_here)
        enter(people.magpie)
    assert not [query["sql"] for query in queries if "validation_report" in query["sql"]]


def test_more_versions_and_bots_need_no_more_queries(people: People) -> None:
    client = signed_in(people.ada)

    def counts() -> list[int]:
        numbers = []
        for address in (f"/bots/{people.magpie.slug}/", "/bots/mine/", "/bots/"):
            with CaptureQueriesContext(connection) as queries:
                html(client, address)
            numbers.append(len(queries))
        return numbers

    before = counts()
    for number in range(3):
        uploaded(people.ada, f"More {number}")
        upload_version(people.magpie, "bot.py", b"# %d\n%s" % (number, HONEST))
    assert [count + 2 for count in before[:1]] + before[1:] >= counts(), "but for the version's place among the checks"


def test_every_control_has_a_name(people: People) -> None:
    for address in people.addresses:
        text = html(signed_in(people.ada), address)
        for control in re.findall(r"<(?:input|textarea|select)[^>]*>", text):
            if 'type="hidden"' in control:
                continue
            identity = re.search(r'id="([^"]+)"', control)
            labelled = "aria-label=" in control or (identity is not None and f'for="{identity[1]}"' in text)
            wrapped = re.search(r"<label[^>]*>(?:(?!</label>).)*" + re.escape(control), text, re.DOTALL)
            assert labelled or wrapped, (address, control)


def test_an_older_version_plays_again(people: People) -> None:
    upload_version(people.magpie, "bot.py", b"# newer\n" + HONEST)
    newer = people.magpie.versions.get(number=3)
    BotVersion.objects.filter(pk=newer.pk).update(state="ready")
    client = signed_in(people.ada)
    assert f"/bots/{people.magpie.slug}/versions/3/activate/" in html(client, f"/bots/{people.magpie.slug}/")
    response = client.post(f"/bots/{people.magpie.slug}/versions/3/activate/", follow=True)
    assert (response.status_code, people.magpie.active_version) == (200, newer)
    client.post(f"/bots/{people.magpie.slug}/versions/1/activate/")
    assert people.magpie.active_version == people.magpie.versions.get(number=1)


def test_owner_and_staff_read_how_many_games_were_played_again_for_a_version(people: People) -> None:
    address = f"/bots/{people.magpie.slug}/versions/1/"
    rows = r'<dd data-note="reruns">{} <'
    assert re.search(rows.format(0), html(signed_in(people.ada), address))
    ladder = Ladder.objects.get(slug=DUEL)
    block = scheduled(ladder, first_players(ladder))
    game = block.matches.first()
    assert game is not None
    lease = claimed(game)
    attempt = Attempt.objects.get(token=lease.token)
    Rerun.objects.create(block=block, version=people.magpie.active_version, attempt=attempt)
    for viewer in (people.ada, people.eve):
        assert re.search(rows.format(1), html(signed_in(viewer), address))
    Season.objects.filter(ladder=ladder).update(closing=timezone.now(), closed=timezone.now())
    for viewer in (people.ada, people.eve):
        text = html(signed_in(viewer), address)
        assert re.search(rows.format(0), text), "another season begins with none"
        assert f"<br>{escape(ladder.name)}, Season 1: 1<" in text


def test_a_refused_version_never_plays(people: People) -> None:
    response = signed_in(people.ada).post(f"/bots/{people.magpie.slug}/versions/2/activate/", follow=True)
    assert response.status_code == 200
    assert people.magpie.active_version == people.magpie.versions.get(number=1)


def test_ladders_are_ticked_and_unticked(people: People) -> None:
    client, address = signed_in(people.ada), f"/bots/{people.magpie.slug}/"
    assert f'value="{DUEL}" checked' in html(client, address)
    text = client.post(f"{address}ladders/", {"shown": DUEL}, follow=True).content.decode()
    assert not people.magpie.memberships.get(ladder__slug=DUEL).active
    assert f'value="{DUEL}">' in text
    client.post(f"{address}ladders/", {"shown": DUEL, "ladder": DUEL})
    assert people.magpie.memberships.get(ladder__slug=DUEL).active


def test_a_ladder_can_be_unticked_and_ticked_before_the_check(people: People) -> None:
    client, address = signed_in(people.ada), f"/bots/{people.new.slug}/"
    client.post(f"{address}ladders/", {"shown": DUEL})
    assert people.new.memberships.get().declined
    client.post(f"{address}ladders/", {"shown": DUEL, "ladder": DUEL})
    membership = people.new.memberships.get()
    assert not membership.declined
    assert not membership.active


def test_a_ladder_that_was_not_shown_is_not_unticked(people: People) -> None:
    signed_in(people.ada).post(f"/bots/{people.magpie.slug}/ladders/", {"shown": ["edel-stein-reich-4", "\0"]})
    assert people.magpie.memberships.get(ladder__slug=DUEL).active


def test_a_bot_on_leave_says_why_and_is_put_back_with_one_click(people: People) -> None:
    Bot.objects.filter(pk=people.magpie.pk).update(paused=people.magpie.created, pause_reason="It failed thrice.")
    address = f"/bots/{people.magpie.slug}/"
    assert "It failed thrice." in html(signed_in(None), address)
    assert f"{address}resume/" not in page(signed_in(people.eve), address).actions
    assert f"{address}resume/" in page(signed_in(people.ada), address).actions
    signed_in(people.ada).post(f"{address}resume/")
    assert Bot.objects.get(pk=people.magpie.pk).paused is None


def test_retiring_is_asked_about_first_and_can_be_taken_back(people: People) -> None:
    client, address = signed_in(people.ada), f"/bots/{people.magpie.slug}/"
    html(client, f"{address}retire/")
    assert Bot.objects.get(pk=people.magpie.pk).retired is None
    assert f"{address}restore/" in parsed(client.post(f"{address}retire/", follow=True)).actions
    assert not people.magpie.memberships.filter(active=True).exists()
    client.post(f"{address}restore/")
    assert people.magpie.memberships.filter(active=True).exists()


def test_name_and_description_are_changed_and_judged(people: People) -> None:
    client, address = signed_in(people.ada), f"/bots/{people.magpie.slug}/settings/"
    client.post(address, {"name": "Jackdaw", "description": "Collects.\nSells."})
    people.magpie.refresh_from_db()
    assert (people.magpie.name, people.magpie.description) == ("Jackdaw", "Collects.\nSells.")
    response = client.post(address, {"name": "Newcomer", "description": "x" * 2001})
    assert (response.status_code, parsed(response).errors) == (422, {"name", "description"})


def test_public_source_is_the_version_that_plays_and_no_other(people: People) -> None:
    address = f"/bots/{people.magpie.slug}/"
    html(signed_in(people.ada), f"{address}source/publish/")
    signed_in(people.ada).post(f"{address}source/publish/")
    text = html(signed_in(None), f"{address}versions/1/source/")
    assert "json.loads(line)" in text
    assert signed_in(None).get(f"{address}versions/1/download").content == zipped_again(people)
    assert signed_in(None).get(f"{address}versions/2/source/").status_code == 404
    assert signed_in(None).get(f"{address}versions/2/download").status_code == 404
    assert f'href="{address}versions/1/source/"' in html(signed_in(None), address)
    signed_in(people.ada).post(f"{address}source/hide/")
    assert signed_in(None).get(f"{address}versions/1/source/").status_code == 403


def zipped_again(people: People) -> bytes:
    """What was uploaded as version 1, byte for byte."""
    from bots.uploads.storage import bytes_of

    return bytes_of(people.magpie.versions.get(number=1))


def test_source_is_shown_as_text_and_its_length_is_bounded(people: People) -> None:
    upload_version(people.magpie, "x.zip", zipped(HOSTILE + b"#" * 300_000 + b"\n"))
    text = html(signed_in(people.ada), f"/bots/{people.magpie.slug}/versions/3/source/")
    assert 'data-note="not-shown"' in text
    assert "x1b[31m" in html(signed_in(people.ada), f"/bots/{people.magpie.slug}/versions/2/source/")


def test_files_in_folders_do_not_take_the_place_of_those_beside_the_file_to_start(people: People) -> None:
    files = {"bot.py": HONEST, "data/moves.json": b"[]" + b" " * 262_000, "strategy.py": b"BEST = 'barter'\n"}
    upload_version(people.magpie, "x.zip", zip_of(files))
    text = html(signed_in(people.ada), f"/bots/{people.magpie.slug}/versions/3/source/")
    assert "BEST = " in text
    assert 'data-note="not-shown"' in text


def test_the_log_of_a_seat_has_decisions_times_strikes_stderr_and_the_hello(people: People) -> None:
    address = f"/matches/{people.match.pk}/seats/0/log/"
    text = html(signed_in(people.ada), address)
    for words in (
        "Strikes",
        "Illegal move.",
        "Wall time (µs)",
        "CPU time (µs)",
        "&quot;seed&quot;",
        "It is kept until",
    ):
        assert words in text, words
    assert "&lt;script&gt;alert(1)&lt;/script&gt; \\x1b[31m \\u202e seed" in text
    document = signed_in(people.ada).get(f"{address[:-1]}.json").json()
    assert document["format"] == "owner-log/1"
    assert str(len(document["decisions"])) in text
    assert document["starts"][0]["hello"]["seed"] in text


def test_a_log_that_is_no_longer_kept_says_so(people: People) -> None:
    SeatLog.objects.all().delete()
    html(signed_in(people.ada), f"/matches/{people.match.pk}/seats/0/log/", 404)
    assert "/log/" not in html(signed_in(people.ada), f"/matches/{people.match.pk}/")


def test_my_bots_lists_every_state(people: People) -> None:
    states = page(signed_in(people.ada), "/bots/mine/").all("td", data_status=True)
    assert {(element["data-status"], element["data-newest"]) for element in states} == {
        ("active", "refused"),
        ("no_version", "received"),
    }
    assert "Magpie" not in html(signed_in(people.bob), "/bots/mine/")


def test_a_bot_that_left_before_its_first_match_is_on_no_ladder(people: People) -> None:
    leave_ladder(people.new, Ladder.objects.get(slug="edel-stein-reich-4"))
    assert 'data-note="no-ladder"' in html(signed_in(people.ada), f"/bots/{people.new.slug}/")


def passed_format(**more: Any) -> dict[str, Any]:
    """A format in a validation report, of a bot that passed."""
    return {
        "game": "edel-stein-reich", "seats": 3, "ok": True, "tries": 1, "ready_us": 41_000, "decisions": 50,
        "slowest_us": 900, "lag_us": 0, "problems": [], "delays": [], "wall_ms": 1900, "own_ms": 1900, "stderr": "",
        "last_decisions": [], "shares": {"startup_ms": 0.1, "move_ms": 0, "bank_ms": 0, "game_ms": 0}, "warnings": [],
        **more,
    }  # fmt: skip


def of_new_version(people: People, **changes: Any) -> list[Any]:
    """The pages of the bot and of its version after these changes to the version."""
    version = people.new.versions.get()
    BotVersion.objects.filter(pk=version.pk).update(**changes)
    client = signed_in(people.ada)
    return [page(client, address) for address in (f"/bots/{people.new.slug}/", f"/bots/{people.new.slug}/versions/1/")]


def test_the_page_of_a_version_shows_when_its_validation_ended(people: People) -> None:
    validated = timezone.now() - timedelta(hours=3)
    _, shown = of_new_version(people, state="refused", reason="It crashed.", validated=validated)
    times = [element["datetime"] for element in shown.one("div", id="check").all("time", datetime=True)]
    assert validated.isoformat(timespec="seconds")[:16] in {moment[:16] for moment in times}


def test_a_version_in_validation_shows_which_game_and_which_attempt_runs(people: People) -> None:
    now = {"game": DUEL, "seats": 2, "try": 2, "started": True, "decisions": 17}
    report = {
        "ok": None, "now": now, "formats": [passed_format()], "attempts": [], "undecided": 0,
        "untried": [{"game": DUEL, "seats": 2}, {"game": "die-weinhaendler", "seats": 3}],
    }  # fmt: skip
    for shown in of_new_version(people, state="checking", validation_report=report):
        (place,) = shown.all(data_note="place")
        assert re.findall(r"\d+", place.text) == ["2", "3", "2", "3"], "format 2 of 3, attempt 2 of 3"
        (step,) = shown.all("li", class_="now")
        assert "17" in step.text


def test_an_undecided_version_says_why_and_when_it_is_tried_again(people: People) -> None:
    delay = {"seat": 1, "decision": None, "wall_us": 3_400_000, "allowed_us": 3_000_000, "machine_delay_us": 600_000}
    attempts = [
        {"game": DUEL, "seats": 2, "wall_ms": 3500, "delay": delay},
        {"game": DUEL, "seats": 2, "wall_ms": None, "failure": "no <b>processes</b>"},
    ]
    report = {"ok": None, "now": None, "formats": [], "untried": [{"game": DUEL, "seats": 2}], "attempts": attempts,
              "undecided": 1}  # fmt: skip
    retry_at = timezone.now() + timedelta(minutes=10)
    bot, version = of_new_version(
        people, state="undecided", reason="Too busy.", retry_at=retry_at, validation_report=report
    )
    for shown in (bot, version):
        assert "retry" in shown.notes
        assert shown.all("time", datetime=retry_at.isoformat(timespec="seconds"))
    assert {"undecided", "attempts"} <= version.notes
    (list_of_attempts,) = version.all("section", data_note="attempts")
    assert "600 ms" in list_of_attempts.text
    upload_version(people.new, "bot.py", b"# newer\n" + HONEST, {DUEL: [2]})
    version = page(signed_in(people.ada), f"/bots/{people.new.slug}/versions/1/")
    assert "retry" not in version.notes, "a newer version replaces it"


def test_a_version_near_a_limit_shows_a_warning_and_its_lag(people: People) -> None:
    shares = {"startup_ms": 0.91, "move_ms": 0.2, "bank_ms": 0, "game_ms": 0}
    table = passed_format(shares=shares, warnings=["startup_ms"], lag_us=412_000)
    report = {"ok": True, "now": None, "formats": [table], "untried": [], "attempts": [], "undecided": 0}
    bot, version = of_new_version(people, state="ready", validation_report=report)
    (warning,) = bot.all(data_note="warning")
    assert "91%" in warning.text
    assert {"near", "lag"} <= version.notes
    calm = {**report, "formats": [passed_format()]}
    for shown in of_new_version(people, validation_report=calm):
        assert not {"near", "lag", "warning"} & shown.notes


def test_a_version_that_is_being_checked_shows_the_format_that_is_tried(people: People) -> None:
    version = people.new.versions.get()
    report = {
        "ok": None,
        "now": {"game": DUEL, "seats": 2, "try": 1, "started": True, "decisions": 0},
        "formats": [passed_format()],
        "untried": [{"game": DUEL, "seats": 2}, {"game": "die-weinhaendler", "seats": 3}],
    }  # fmt: skip
    BotVersion.objects.filter(pk=version.pk).update(state="checking", validation_report=report)
    for address in (f"/bots/{people.new.slug}/", f"/bots/{people.new.slug}/versions/1/"):
        text = html(signed_in(people.ada), address)
        status = re.search(r'id="check-said"[^>]*>(.*?)</p>', text, re.DOTALL)
        assert status is not None
        assert f"{GAMES[DUEL].name.replace('&', '&amp;')}, 2 players" in status[1]
        assert "1.9\u00a0s" in text
        assert text.count('<li class="done">') == 3
        assert text.count('<li class="now">') == 1
        assert text.count('<li class="todo">') == 2
