from __future__ import annotations

import orjson
import pytest

from bots.runner import MatchReport, Transcript
from tests.bots.runner.fakes import HASTY, at, default, leave, play, raw

pytestmark = pytest.mark.usefixtures("each_channel")


def test_a_transcript_has_every_line_of_both_sides_with_its_time() -> None:
    transcript = Transcript(2)
    report = play(default, default, observer=transcript)
    for seat, conversation in enumerate(transcript.seats):
        (hello,) = map(orjson.loads, conversation.hellos)
        assert hello["seed"] == report.seats[seat].bot_seed
        questions = [orjson.loads(exchange.question) for exchange in conversation.exchanges]
        assert [question["id"] for question in questions] == [thought.id for thought in report.seats[seat].decisions]
        assert [exchange.answer for exchange in conversation.exchanges] == [
            raw(question["id"], question["decision"]["default"]).strip() for question in questions
        ]
        assert conversation.end is not None
        assert orjson.loads(conversation.end)["outcome"] == report.record["outcome"]


def test_a_transcript_stores_a_faulty_line_unchanged() -> None:
    transcript = Transcript(2)
    report = wrong_at_two(b'\xff{"id": 2}\n', transcript)
    assert report.seats[0].strikes[0].id == 2
    assert transcript.seats[0].exchanges[1].answer == b'\xff{"id": 2}'


def test_a_question_without_an_answer_has_an_empty_exchange() -> None:
    for answer in (b"", b"x" * 70_000 + b"\n"):
        transcript = Transcript(2)
        wrong_at_two(answer, transcript)
        assert [exchange.answer is None for exchange in transcript.seats[0].exchanges[:3]] == [False, True, False]


def test_a_seat_that_forfeited_gets_no_end_message() -> None:
    transcript = Transcript(2)
    play(at(3, leave), default, observer=transcript)
    gone, stayed = transcript.seats
    assert (len(gone.exchanges), gone.exchanges[-1].answer, gone.end) == (3, None, None)
    assert stayed.end is not None


def wrong_at_two(answer: bytes, transcript: Transcript) -> MatchReport:
    return play(at(2, answer), default, limits=HASTY, observer=transcript)
