"""Signing in with an account elsewhere: what the settings name, and the whole way with a small OpenID provider."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from environ import Env

from esr_platform.accounts.social import elsewhere

ROOT = Path(__file__).parents[3]
WHO = {"sub": "4711", "preferred_username": "Miriam", "email": "miriam@example.org", "email_verified": True}


def named(**values: str) -> Env:
    """An environment with these variables alone."""
    env = Env()
    env.ENVIRON = values  # type: ignore[assignment]
    return env


def test_nothing_is_there_without_settings() -> None:
    linked = elsewhere(named())
    assert (linked.apps, linked.providers, linked.origins) == ([], {}, [])


def test_half_a_setting_is_said() -> None:
    with pytest.raises(SystemExit, match="GITHUB_CLIENT_SECRET"):
        elsewhere(named(GITHUB_CLIENT_ID="x"))
    with pytest.raises(SystemExit, match="OIDC_SERVER_URL"):
        elsewhere(named(OIDC_CLIENT_ID="x", OIDC_CLIENT_SECRET="y"))


def test_each_site_brings_its_application_and_its_origin() -> None:
    env = {f"{site}_CLIENT_{part}": "x" for site in ("GITHUB", "GOOGLE", "GITLAB") for part in ("ID", "SECRET")}
    linked = elsewhere(named(**env, GITLAB_URL="https://git.example.org/"))
    assert set(linked.providers) == {"github", "google", "gitlab"}
    assert linked.origins == ["https://github.com", "https://accounts.google.com", "https://git.example.org"]


class Provider(BaseHTTPRequestHandler):
    """The part of OpenID Connect that a sign-in needs. Whoever asks is ``WHO``."""

    def do_GET(self) -> None:
        path, here = urlsplit(self.path), f"http://127.0.0.1:{self.server.server_port}"  # type: ignore[attr-defined]
        if path.path == "/.well-known/openid-configuration":
            ways = {"authorization_endpoint": "authorize", "token_endpoint": "token", "userinfo_endpoint": "userinfo"}
            known = {name: f"{here}/{way}" for name, way in ways.items()}
            return self._say({"issuer": here, "jwks_uri": f"{here}/keys", **known})
        if path.path == "/authorize":
            asked = {name: values[0] for name, values in parse_qs(path.query).items()}
            self.send_response(302)
            self.send_header("Location", f"{asked['redirect_uri']}?{urlencode({'code': 'c', 'state': asked['state']})}")
            return self.end_headers()
        return self._say(WHO)

    def do_POST(self) -> None:
        here = f"http://127.0.0.1:{self.server.server_port}"  # type: ignore[attr-defined]
        self.rfile.read(int(self.headers["Content-Length"]))
        claims = {**WHO, "iss": here, "aud": "esr", "iat": int(time()), "exp": int(time()) + 60}
        token = ".".join(_part(part) for part in ({"alg": "RS256", "typ": "JWT"}, claims)) + ".c2ln"
        self._say({"access_token": "t", "token_type": "Bearer", "expires_in": 60, "id_token": token})

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def _say(self, document: Any) -> None:
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _part(document: Any) -> str:
    return urlsafe_b64encode(json.dumps(document).encode()).decode().rstrip("=")


@pytest.fixture
def provider() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


THE_WAY = """
import django, os
django.setup()
from urllib.parse import urlsplit
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.test.utils import override_settings
from esr_platform.account_pages import deletion
from esr_platform.account_pages.forms import SignupForm
from esr_platform.accounts.models import User

memory = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
letters = "django.core.mail.backends.locmem.EmailBackend"
with override_settings(ALLOWED_HOSTS=["testserver"], CACHES=memory, EMAIL_BACKEND=letters):
    call_command("migrate", verbosity=0)

    def comes_back(client, process="login", **more):
        answer = client.post("/account/oidc/oidc/login/", {"process": process, **more})
        assert answer.status_code == 302, answer.content
        there = requests.get(answer.headers["Location"], allow_redirects=False).headers["Location"]
        back = urlsplit(there)
        return client.get(f"{back.path}?{back.query}")

    page = Client().get("/account/login/")
    assert "Example login" in page.content.decode()
    assert os.environ["OIDC_SERVER_URL"] in page.headers["Content-Security-Policy"], "or no browser would go there"

    taken = User.objects.create_user("carl", "miriam@example.org", "a cellar full of amethysts")
    EmailAddress.objects.create(user=taken, email=taken.email, verified=True, primary=True)
    client = Client()
    assert comes_back(client).headers["Location"] == "/account/elsewhere/signup/"
    client.post("/account/elsewhere/signup/", {"username": "miriam", "email": "miriam@example.org", "terms": "on"})
    assert not SocialAccount.objects.exists(), "an address that another site claims opens no account here"
    EmailAddress.objects.all().delete(); taken.delete()

    client = Client()
    comes_back(client, next="https://evil.example/")
    form = client.get("/account/elsewhere/signup/").content.decode()
    assert 'value="Miriam"' in form and 'name="terms"' in form
    assert str(SignupForm().fields["email"].help_text) not in form, "the provider has verified the address"
    answer = client.post("/account/elsewhere/signup/", {"username": "miriam", "email": "miriam@example.org"})
    assert answer.status_code == 200 and not User.objects.exists(), "not without the terms"
    answer = client.post(
        "/account/elsewhere/signup/", {"username": "miriam", "email": "miriam@example.org", "terms": "on"}
    )
    assert answer.headers["Location"] == "/play/", answer.headers
    assert client.get("/account/").status_code == 200
    miriam = User.objects.get()
    assert miriam.terms_version and not miriam.has_usable_password()

    again = Client()
    assert comes_back(again, next="/bots/").headers["Location"] == "/bots/"
    linked = SocialAccount.objects.get()
    assert f'name="account" value="{linked.pk}"' in again.get("/account/elsewhere/").content.decode()
    refused = again.post("/account/elsewhere/", {"account": linked.pk})
    assert 'role="alert"' in refused.content.decode(), "no one could sign in to an account without a password"
    assert SocialAccount.objects.exists()
    forged = Client().get("/account/oidc/oidc/login/callback/?code=c&state=forged")
    assert 'data-note="sign-in-failed"' in forged.content.decode()

    miriam.refresh_from_db()
    deletion.delete(miriam)
    assert not SocialAccount.objects.exists()
    assert again.get("/account/").status_code == 302

    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["settings"]["server_url"] = "http://127.0.0.1:9"
    down = Client().post("/account/oidc/oidc/login/")
    assert 'data-note="sign-in-failed"' in down.content.decode(), "the provider is down"
    print("all the way")
"""


@pytest.mark.slow
def test_a_person_signs_up_and_in_with_an_account_at_another_site(provider: str, tmp_path: Path) -> None:
    env = {
        **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
        "DJANGO_SETTINGS_MODULE": "esr_platform.settings",
        "VAR_DIR": str(tmp_path),
        "OIDC_CLIENT_ID": "esr",
        "OIDC_CLIENT_SECRET": "secret",
        "OIDC_SERVER_URL": provider,
        "OIDC_NAME": "Example login",
        "LOG_LEVEL": "WARNING",
    }
    ran = subprocess.run(
        [sys.executable, "-c", THE_WAY], env=env, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.stdout.strip().endswith("all the way"), ran.stderr[-3000:]
