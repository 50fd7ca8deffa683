from __future__ import annotations

from pathlib import Path

from esr_platform.supervising.broker import LONGEST_SOCKET_PATH, server_command, socket_path


def test_the_socket_lies_in_the_data_folder() -> None:
    assert socket_path(Path("/srv/site/var")) == Path("/srv/site/var/redis.sock")


def test_a_path_too_long_for_a_socket_is_replaced_by_a_short_one_of_its_own() -> None:
    long = Path("/" + "long/" * 40)
    assert len(str(socket_path(long))) <= LONGEST_SOCKET_PATH
    assert socket_path(long) != socket_path(long / "other")


def test_the_server_listens_on_no_port_and_keeps_what_it_was_told(tmp_path: Path) -> None:
    command = " ".join(server_command(tmp_path))
    assert "--port 0" in command
    assert "--appendonly yes" in command
