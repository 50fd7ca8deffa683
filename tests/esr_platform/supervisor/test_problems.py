from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from esr_platform.supervisor.problems import Problem, check_port, check_space, lock_folder, redis_answers
from tests.services.ports import free_port


def test_a_port_in_use_names_another_one() -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        with pytest.raises(Problem, match=f"Port {port} is in use: stop .* make run PORT={port + 1}"):
            check_port("127.0.0.1", port)


def test_a_free_port_is_no_problem() -> None:
    check_port("127.0.0.1", free_port())


def test_a_full_disk_says_how_much_is_missing(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"The disk is full: .* needs 10000000000 MB; free some, or set VAR_DIR"):
        check_space(tmp_path, least=10**16)
    check_space(tmp_path, least=1)


def test_a_data_folder_belongs_to_one_supervisor(tmp_path: Path) -> None:
    lock = lock_folder(tmp_path)
    with pytest.raises(Problem, match=rf"already runs .*process {os.getpid()}\): stop it"):
        lock_folder(tmp_path)
    os.close(lock)
    os.close(lock_folder(tmp_path))


def test_redis_answers_where_it_runs(redis_url: str, tmp_path: Path) -> None:
    assert redis_answers(redis_url)
    assert not redis_answers(f"unix://{tmp_path}/nobody.sock")
    assert not redis_answers(f"redis://127.0.0.1:{free_port()}/0")
