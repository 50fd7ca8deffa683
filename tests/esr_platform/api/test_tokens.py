"""What tokens open: within their scopes, as a remote bot, so often a minute."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.http import Http404
from django.utils import timezone
from pytest_django import Settings

from bots.models import Bot, RemoteBot
from esr_platform.accounts import tokens
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.api.authentication import player_of, viewer_of
from esr_platform.api.http import Refusal
from tests.esr_platform.api.conftest import Program, person, problem

pytestmark = pytest.mark.django_db


def remote(owner: User, slug: str, **more: object) -> Bot:
    bot = Bot.objects.create(slug=slug, name=slug.title(), owner=owner, kind=Bot.Kind.REMOTE, **more)
    RemoteBot.objects.create(bot=bot)
    return bot


def limited(settings: Settings, **most: int) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, **most}


def test_an_invalid_token_is_refused_even_where_no_token_is_needed() -> None:
    miriam = person("miriam", Scope.READ)
    assert miriam.user is not None
    _, expired = tokens.issue(miriam.user, "old", [Scope.READ], timedelta(seconds=-1))
    assert miriam.get("ladders").status_code == Program().get("ladders").status_code == 200
    tokens.revoke_all(miriam.user)
    for secret in (expired, miriam.secret, "esr_guess"):
        problem(Program(None, secret).get("ladders"), 401, "authentication_failed")


def test_the_error_for_a_missing_scope_names_it(db: None) -> None:
    answer = person("miriam", Scope.PLAY).upload(name="Citrine")
    assert f"'{Scope.UPLOAD}'" in problem(answer, 403, "permission_denied")["detail"]


def test_a_bot_token_has_its_own_rate_limit(settings: Settings) -> None:
    limited(settings, play=1)
    miriam = person("miriam", Scope.PLAY)
    assert miriam.user is not None
    _, secret = tokens.issue(miriam.user, "wren", [], None, remote(miriam.user, "wren"))
    own = Program(miriam.user, secret)
    assert (miriam.get("challenges").status_code, own.get("challenges").status_code) == (200, 200)
    for program in (own, miriam):
        answer = program.get("challenges")
        problem(answer, 429, "throttled")
        assert 1 <= int(answer.headers["Retry-After"]) <= 60


def test_each_scope_has_its_own_rate_limit(settings: Settings) -> None:
    limited(settings, play=1)
    miriam = person("miriam", Scope.PLAY, Scope.MANAGE)
    miriam.get("challenges")
    problem(miriam.get("challenges"), 429, "throttled")
    assert miriam.get("ladders").status_code == 200
    problem(miriam.client.delete("/api/v1/exhibitions/1", headers=miriam.headers), 404, "not_found")


def test_guesses_are_limited_and_do_not_block_valid_tokens(settings: Settings) -> None:
    limited(settings, guesses=2)
    miriam = person("miriam", Scope.PLAY)
    for _ in range(2):
        problem(Program(None, "esr_guess").get("ladders"), 401, "authentication_failed")
    problem(Program(None, "esr_guess").get("ladders"), 429, "throttled")
    assert miriam.get("challenges").status_code == 200


def test_a_bot_token_can_only_play() -> None:
    miriam = person("miriam", Scope.UPLOAD)
    assert miriam.user is not None
    token, secret = tokens.issue(miriam.user, "wren", [Scope.MANAGE, Scope.READ], None, remote(miriam.user, "wren"))
    assert token.scopes == ["play"]
    assert viewer_of(token).pk is None
    answer = Program(miriam.user, secret).upload(name="Citrine")
    problem(answer, 403, "permission_denied")
    with pytest.raises(IntegrityError), transaction.atomic():
        Token.objects.filter(pk=token.pk).update(scopes=["manage", "play"])


def test_only_own_remote_bots_that_are_not_retired_get_tokens() -> None:
    miriam, carl = User.objects.create_user("miriam"), User.objects.create_user("carl")
    hosted = Bot.objects.create(slug="citrine", name="Citrine", owner=miriam)
    gone = remote(miriam, "gone", retired=timezone.now())
    for bot in (remote(carl, "wren"), hosted, gone):
        with pytest.raises(Refused):
            tokens.issue(miriam, "x", [Scope.PLAY], None, bot)
    assert not Token.objects.exists()


def test_private_data_needs_the_scope_read() -> None:
    for scope in Scope:
        program = person(f"with-{scope.value}", scope)
        token = tokens.find(program.secret)
        assert (viewer_of(token) == program.user) is (scope is Scope.READ)
    assert viewer_of(None).pk is None


def test_a_token_plays_as_its_own_bot_or_as_the_bot_that_is_named() -> None:
    miriam, carl = User.objects.create_user("miriam"), User.objects.create_user("carl")
    token = tokens.issue(miriam, "all", [Scope.PLAY], None)[0]
    with pytest.raises(Http404):
        player_of(token, "")
    wren = remote(miriam, "wren")
    assert player_of(token, "") == wren
    robin = remote(miriam, "robin")
    own = tokens.issue(miriam, "robin", [], None, robin)[0]
    with pytest.raises(Refusal, match="robin, wren") as missing:
        player_of(token, "")
    assert missing.value.get_codes() == "bot_missing"
    assert player_of(token, "wren") == wren
    assert player_of(own, "") == player_of(own, "robin") == robin
    foreign = remote(carl, "carls")
    for used, name in ((token, foreign.slug), (own, "wren"), (token, "nobody")):
        with pytest.raises(Http404):
            player_of(used, name)


def test_still_live_returns_the_valid_tokens() -> None:
    miriam = User.objects.create_user("miriam")
    kept, gone = (tokens.issue(miriam, name, [Scope.PLAY], None)[0] for name in ("kept", "gone"))
    tokens.revoke(miriam, gone.pk)
    assert tokens.still_live([kept.pk, gone.pk]) == {kept.pk}
    assert tokens.revoke_all(miriam) == 1
    assert tokens.still_live([kept.pk]) == set()
