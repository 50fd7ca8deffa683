"""``esr login``, ``upload`` and ``play-remote`` against a site of one bot, and what they say when it fails."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.archives import ArchiveLimits
from bots.cli.frame import FOUND, INTERRUPTED, USAGE, Screen
from bots.cli.programs import find_played, launcher_for, packed
from bots.client import Session
from tests.bots.cli.bots import Esr, bot
from tests.bots.client.site import NOT_FOUND, TOKEN, TinySite, duel, tiny_site
from tests.services.ports import free_port

pytestmark = pytest.mark.slow

LADDER = ("--ladder", "duel-remote", "--games", 1)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[TinySite]:
    with tiny_site(duel(1)) as running:
        monkeypatch.setenv("ESR_SITE", running.url)
        monkeypatch.setenv("ESR_TOKEN", TOKEN)
        monkeypatch.setenv("ESR_CONFIG_DIR", str(tmp_path / "config"))
        monkeypatch.chdir(tmp_path)  # where downloads go
        running.documents["bot"] |= {"games": {}}
        running.documents["token"] = {"owner": "ada", "scopes": ["play"], "bot": "afar", "expires": None}
        yield running


def test_a_folder_plays_a_game_as_it_would_at_home(site: TinySite, esr: Esr, tmp_path: Path) -> None:
    run = esr("play-remote", bot(tmp_path), *LADDER, "--json")
    assert (run.status, run.document["incidents"]) == (0, [])
    assert [game["status"] for game in run.document["games"]] == ["finished"]
    declared, *_ = site.bodies_of("PATCH", "bot")
    assert declared["games_at_once"] == 1
    assert declared["games"] == {"edel-stein-reich-duel": [2]}
    assert len(declared["label"]) == 12


@pytest.mark.parametrize(("before", "after"), [(4, 4), (0, 1)])
def test_the_site_starts_no_game_until_the_stream_is_closed_and_then_again(
    site: TinySite, esr: Esr, before: int, after: int
) -> None:
    site.documents["bot"]["games_at_once"] = before
    assert esr("play-remote", "house:kontor", *LADDER).status == 0
    changes = [change["games_at_once"] for change in site.bodies_of("PATCH", "bot")]
    assert (changes[0], set(changes[1:-1]), changes[-1]) == (1, {0}, after)
    looks = [position for position, call in enumerate(site.heard) if call[:2] == ("GET", "bot")]
    assert looks[-1] > site.heard.index(("PATCH", "bot", {"games_at_once": 0}))
    assert site.documents["bot"]["here"] is False


def test_an_interrupted_program_leaves_the_bot_as_it_was(
    site: TinySite, esr: Esr, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    site.documents["bot"]["games_at_once"] = 3
    monkeypatch.setattr(Session, "_take", interrupt)
    assert esr("play-remote", "house:kontor", "--ladder", "duel-remote").status == INTERRUPTED
    assert (site.documents["bot"]["games_at_once"], site.documents["bot"]["here"]) == (3, False)


def test_a_program_that_is_replaced_does_not_stop_the_newer_one(site: TinySite, esr: Esr) -> None:
    site.extra = [{"type": "closed", "reason": "a newer stream was opened"}]
    site.documents["bot"]["games_at_once"] = 3
    assert esr("play-remote", "house:kontor", "--ladder", "duel-remote").status == USAGE
    assert [change["games_at_once"] for change in site.bodies_of("PATCH", "bot")] == [1]


def test_a_house_bot_and_a_command_play_too(esr: Esr, site: TinySite, tmp_path: Path) -> None:
    assert esr("play-remote", "house:kontor", *LADDER).status == 0
    site.games.append(duel(2))
    command = f"{sys.executable} {bot(tmp_path) / 'bot.py'}"
    assert esr("play-remote", command, *LADDER).status == 0
    assert all(game.state.outcome is not None for game in site.games)


def test_a_command_is_a_version_of_its_own_that_changes_with_its_words_and_files(tmp_path: Path) -> None:
    program = bot(tmp_path) / "bot.py"

    def label(*more: str) -> str:
        command = " ".join([sys.executable, program.as_posix(), *more])
        return find_played(command, "edel-stein-reich-duel", 2, launcher_for(sandbox=False)).label

    first, fast = label(), label("--fast")
    assert (label(), len(first), first != fast) == (first, 12, True)
    program.write_text(program.read_text() + "\n")
    assert label() != first


def test_a_fault_is_reported_and_costs_no_strike(site: TinySite, esr: Esr, tmp_path: Path) -> None:
    change = "move = {2: 'nonsense', 3: {}}.get(message['id'], move); print('hm', file=sys.stderr)"
    run = esr("play-remote", bot(tmp_path, change), *LADDER)
    assert run.status == FOUND
    assert "game 1, decision 2: illegal: 'nonsense'" in run.out
    assert "game 1: stderr: hm" in run.out
    assert site.games[0].strikes == 0


def test_a_bot_that_dies_is_started_again_with_the_whole_log(site: TinySite, esr: Esr, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    change = f"open({str(diary)!r}, 'a').write(str(len(message['log'])) + ' '); message['id'] in (3, 5) and sys.exit()"
    run = esr("play-remote", f"{sys.executable} {bot(tmp_path, change) / 'bot.py'}", *LADDER, "--json")
    assert [incident["reason"] for incident in run.document["incidents"]] == ["exit", "exit"]
    decisions = [int(count) for count in diary.read_text().split()]
    assert decisions[3] == decisions[0] + decisions[1] + decisions[2]
    assert site.games[0].state.outcome is not None


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("play-remote", "no-such-bot", *LADDER), "'no-such-bot'"),
        (("play-remote", "house:vintner", *LADDER), "edel-stein-reich-duel with 2 seats"),
        (("play-remote", "house:kontor", "--ladder", "nowhere"), NOT_FOUND),
        (("play-remote", "house:kontor", "--ladder", "duel-remote", "--games", 0), "--games"),
        (("upload", "no-such-folder"), "`esr new-bot no-such-folder "),
        (("download", "nowhere"), NOT_FOUND),
        (("watch", 7), NOT_FOUND),
        (("status", "nobody"), NOT_FOUND),
        (("login", "arena.example.org"), "esr_"),
    ],
)
def test_an_impossible_command_is_answered_by_one_sentence(
    site: TinySite, esr: Esr, words: tuple[object, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    run = esr(*words)
    assert (run.status, len(run.err.splitlines())) == (USAGE, 1)
    assert says in run.err


def test_a_ladder_that_is_not_shown_may_be_private_and_leaves_no_file(site: TinySite, esr: Esr) -> None:
    run = esr("download", "nowhere")
    assert "private" in run.err
    assert not Path("nowhere.jsonl").exists()
    Path("mine.jsonl").touch()
    esr("download", "nowhere", "--to", "mine.jsonl")
    assert Path("mine.jsonl").exists()
    assert "private" not in esr("status", "nobody").err


def test_control_characters_of_a_site_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert Screen().fail("Refused.\x1b]0;gone\x07\nTry \u202eagain.", USAGE) == USAGE
    assert capsys.readouterr().err == "Refused.\\x1b]0;gone\\x07\nTry \\u202eagain.\n"


def test_a_ladder_of_hosted_bots_is_named_with_the_one_that_is_meant(site: TinySite, esr: Esr) -> None:
    site.documents["ladders/duel-remote"] = {**site.documents["ladders/duel-remote"], "players": "hosted"}
    run = esr("play-remote", "house:kontor", *LADDER)
    assert (run.status, "duel-remote-remote" in run.err) == (USAGE, True)


def test_a_remote_bot_with_the_name_of_another_bot_is_told_to_take_another_name(site: TinySite, esr: Esr) -> None:
    del site.documents["bot"]
    run = esr("play-remote", "house:kontor", *LADDER)
    assert (run.status, "--name" in run.err, "--bot" in run.err) == (USAGE, True, False)


def test_a_user_with_several_remote_bots_is_told_to_choose_one(site: TinySite, esr: Esr) -> None:
    site.several_bots = True
    run = esr("play-remote", "house:kontor", *LADDER)
    assert (run.status, "--bot" in run.err) == (USAGE, True)


def test_a_name_registers_another_remote_bot_than_the_one_that_is_there(site: TinySite, esr: Esr) -> None:
    run = esr("play-remote", "house:kontor", *LADDER, "--name", "Second")
    assert (run.status, "--name" in run.err, "--bot" in run.err) == (USAGE, False, True)
    assert [body["name"] for body in site.bodies_of("POST", "remote-bots")] == ["Second"]


def test_a_token_is_stored_and_used_for_its_site_only(
    site: TinySite, esr: Esr, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ESR_TOKEN")
    monkeypatch.delenv("ESR_SITE")
    assert "ESR_SITE" in esr("status").err
    monkeypatch.setattr(sys, "stdin", io.StringIO(TOKEN + "\n"))
    assert esr("login", site.url + "/").status == 0
    kept = tmp_path / "config" / "credentials.json"
    assert json.loads(kept.read_text()) == {"site": site.url, "token": TOKEN}
    if sys.platform != "win32":
        assert kept.stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("ESR_SITE", "http://127.0.0.1:9")
    assert "`esr login http://127.0.0.1:9`" in esr("status").err


@pytest.mark.parametrize(("state", "known"), [("ready", True), ("received", False)])
def test_an_upload_of_known_files_is_reported_as_one(
    site: TinySite, esr: Esr, tmp_path: Path, state: str, known: bool
) -> None:
    site.documents["bots/mine/versions"] = {"bot": "mine", "number": 1, "state": state, "active": True}
    run = esr("upload", bot(tmp_path), "--bot", "mine", "--no-wait")
    assert (run.status, "same files" in run.out) == (0, known)


def test_a_failed_login_names_the_site(site: TinySite, esr: Esr, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("esr_wrong\n"))
    run = esr("login", site.url)
    assert (run.status, site.url in run.err) == (USAGE, True)


def test_a_login_at_another_page_of_a_site_asks_for_its_home_page(
    site: TinySite, esr: Esr, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{TOKEN}\n"))
    run = esr("login", f"{site.url}/play")
    assert (run.status, "home page" in run.err) == (USAGE, True)


def test_a_login_at_a_site_that_does_not_run_fails_at_once(esr: Esr, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("esr_right\n"))
    before = time.monotonic()
    run = esr("login", f"http://127.0.0.1:{free_port()}")
    assert (run.status, "Is it running?" in run.err) == (USAGE, True)
    assert time.monotonic() - before < 30


def test_a_folder_is_packed_without_what_nobody_wrote(tmp_path: Path) -> None:
    folder = bot(tmp_path)
    for name in (".git/config", "__pycache__/bot.pyc", ".env"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("secret")
    sent = packed(folder)
    assert (sent.filename, b"secret" in sent.data, b"config" in sent.data) == ("mine.zip", False, False)
    assert packed(folder) == sent
    (notice,) = sent.read(ArchiveLimits()).notices
    assert notice.text.startswith("Left out .env, .git:")


def test_an_upload_is_read_with_the_limits_of_the_site_before_it_is_sent(
    site: TinySite, esr: Esr, tmp_path: Path
) -> None:
    folder = bot(tmp_path)
    (folder / "notes.txt").write_text("x")
    site.documents["uploads/limits"]["limits"]["files"] = 2
    for command in ("upload", "check"):
        run = esr(command, folder)
        assert run.status == USAGE
        assert "3 files. The limit is 2" in run.err
    assert not site.bodies_of("POST", "bots")
