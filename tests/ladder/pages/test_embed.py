from __future__ import annotations

import re
from html import unescape

from django.conf import settings
from django.test import Client

from ladder.models import Ladder
from tests.build import signed_in, staff
from tests.ladder.pages.site import Site
from tests.page import page


def policy_of(client: Client, address: str) -> dict[str, str]:
    response = client.get(address)
    name_and_sources = re.compile(r"([\w-]+) ([^;]+)")
    return dict(name_and_sources.findall(response["Content-Security-Policy"]))


def test_other_sites_can_embed_a_replay_and_no_other_page(site: Site, client: Client) -> None:
    address = f"/embed/{site.finished.pk}/"
    policy = policy_of(client, address)
    assert policy["frame-ancestors"] == "*"
    assert (policy["default-src"], policy["form-action"], policy["base-uri"]) == ("'none'", "'none'", "'none'")
    assert "X-Frame-Options" not in client.get(address).headers
    for other in (*site.addresses, f"/matches/{site.finished.pk}/replay.json", f"/embed/{site.closed.pk}/"):
        assert policy_of(client, other)["frame-ancestors"] == "'none'"
        assert client.get(other)["X-Frame-Options"] == "DENY"


def test_an_embedded_replay_knows_no_user(site: Site, client: Client) -> None:
    address = f"/embed/{site.finished.pk}/"
    boss = signed_in(staff("boss"))
    for reader in (client, boss):
        response = reader.get(address)
        assert response.cookies == {}
        assert "public" in response["Cache-Control"]
        assert not response.wsgi_request.session.accessed  # type: ignore[attr-defined]
    assert client.get(address).content == boss.get(address).content
    text = page(client, address)
    assert [form for form in text.all("form") if form.attributes.get("method") != "dialog"] == []
    assert f"/matches/{site.finished.pk}/" in text.links
    assert text.one("game-replay")["data-document"] == f"/matches/{site.finished.pk}/replay.json"


def test_only_what_everyone_may_see_can_be_embedded(site: Site, client: Client) -> None:
    boss = signed_in(staff("boss"))
    for match in (site.closed, site.running, site.queued, site.void):
        assert client.get(f"/embed/{match.pk}/").status_code == 404
    Ladder.objects.filter(pk=site.ladder.pk).update(private=True, by_invitation=True)
    assert boss.get(f"/matches/{site.finished.pk}/").status_code == 200
    for reader in (client, boss):
        assert reader.get(f"/embed/{site.finished.pk}/").status_code == 404
        assert reader.get("/embed/999999/").status_code == 404


def test_the_page_of_a_match_has_the_html_to_embed_it(site: Site, client: Client) -> None:
    (code,) = page(client, f"/matches/{site.finished.pk}/").one(id="embed").all("code")
    assert f'src="{settings.SITE_URL}/embed/{site.finished.pk}/"' in unescape(code.text)
    assert page(client, f"/matches/{site.closed.pk}/").all(id="embed") == []
