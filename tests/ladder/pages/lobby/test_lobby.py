from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.usefixtures("house")


def html(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def test_a_stranger_can_play_every_game_at_once(client: Client) -> None:
    text = html(client, "/play/")
    assert text.count('name="ladder" value="') == 3
