"""Commands that recompute a cup or a season from a public file: ``esr verify-cup`` and ``esr verify-season``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from rich.progress import TextColumn

from bots.cli.frame import FOUND, UNFINISHED, Screen, SubCommand, UsageError
from bots.cli.records import lines_of
from bots.client import ClientError
from bots.client.download import download
from bots.tournaments import verification
from bots.tournaments.ledger import MAX_LEDGER_BYTES, Ledger, read_ledger
from bots.tournaments.seasons import MAX_LINE_BYTES, SeasonReport, verify_season
from bots.tournaments.swiss import NoMatching
from bots.tournaments.verification import CupGame, VerificationReport, record_faults, verify_cup
from games import strict

MAX_DEALS_BYTES: Final = 2**30
"""Longer files of deals are not downloaded. A million deals have about 300 MB."""

MOST_FAULTS: Final = 1000
"""The maximum number of faults that a verification looks for."""

SHOWN_FAULTS: Final = 20
"""Faults that are shown in text. ``--json`` contains all of them."""

_PIECE: Final = 2**16


def _pieces(source: str, page_file: str, most_bytes: int) -> Iterator[bytes]:
    """Yield the content of a file, or of ``page_file`` of a page, up to ``most_bytes``. Raises ``UsageError``."""
    parts, left = urlsplit(source), most_bytes
    try:
        if parts.scheme in ("http", "https"):
            is_page = not parts.path.endswith((".json", ".jsonl"))
            page = urlunsplit((parts.scheme, parts.netloc, f"{parts.path.rstrip('/')}/{page_file}", "", ""))
            yield from download(page if is_page else source, most_bytes)
            return
        with Path(source).open("rb") as file:
            while piece := file.read(_PIECE):
                left -= len(piece)
                if left < 0:
                    raise UsageError(f"{source} is longer than {most_bytes // 2**20:,} MiB.")
                yield piece
    except OSError as error:
        raise UsageError(f"Cannot read {source}: {error.strerror}.") from error
    except ClientError as error:
        raise UsageError(str(error)) from error


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines. A line that is too long is cut, so that it is not valid."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
        rest = rest[: MAX_LINE_BYTES + 1]
    if rest:
        yield rest


def _show_faults(faults: list[str], what: str, screen: Screen) -> int:
    for fault in faults[:SHOWN_FAULTS]:
        screen.say(fault)
    if len(faults) > SHOWN_FAULTS:
        screen.say(f"and {len(faults) - SHOWN_FAULTS:,} more. Use `--json` to list all of them.")
    screen.say(f"Verification failed: {_count(len(faults), 'fault')} in {what}.", "red")
    return FOUND


def _count(number: int, noun: str, nouns: str = "") -> str:
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


# --- esr verify-cup --------------------------------------------------------------------------------------------------


def verify_cup_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr verify-cup``."""
    source = parser.add_argument("source", metavar="FILE|URL", help="ledger, or URL of the ledger or the cup page")
    source.complete = "file"  # type: ignore[attr-defined]
    parser.add_argument(
        "--records", type=Path, metavar="FILE", help="re-execute the games of this file, written by `esr download`"
    )


def run_verify_cup(options: Namespace, screen: Screen) -> int:
    """Verify a ledger, and its games if there are records."""
    try:
        ledger = read_ledger(b"".join(_pieces(options.source, "ledger.json", MAX_LEDGER_BYTES)))
        report = verify_cup(ledger)
    except ValueError as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{options.source} is not the ledger of a cup: {error}.") from error
    except NoMatching as error:
        raise UsageError(f'{error} Run `pip install "steinreich[verify]"`, then verify the cup again.') from error
    if options.records:
        report.faults += islice(_compared(options.records, report.games, screen), MOST_FAULTS)
    _answer_cup(ledger, report, options.records is not None, screen)
    if report.faults:
        return _show_faults(report.faults, "the cup", screen)
    _show_cup(ledger, report, options.records, screen)
    return UNFINISHED if report.state == verification.UNFINISHED else 0


def _answer_cup(ledger: Ledger, report: VerificationReport, has_records: bool, screen: Screen) -> None:
    screen.answer(
        {
            "ok": not report.faults and report.state != verification.UNFINISHED,
            "cup": ledger.cup,
            "state": report.state,
            "entries": len(ledger.entries),
            "rounds": report.rounds,
            "games": len(report.games),
            "records": len(report.games) if has_records else None,
            "removed_reasons": report.removed,
            "key_hash": ledger.key_hash,
            "entrants_hash": ledger.entrants_hash,
            "faults": report.faults,
        }
    )


def _show_cup(ledger: Ledger, report: VerificationReport, records: Path | None, screen: Screen) -> None:
    games = f"{_count(report.rounds, 'round')} with {_count(len(report.games), 'game')}"
    entries = f"{_count(len(ledger.entries), 'entry', 'entries')}, {games}"
    if report.state == verification.UNFINISHED:
        missing = "the key is secret" if ledger.key is None else "the final standings are missing"
        screen.say(f"Not finished: {missing}. No faults so far: {entries}.", "yellow")
    elif report.state == verification.CANCELED:
        what = "up to its last ended round" if ledger.entrants else "as far as the hashes of its ledger"
        screen.say(f"The cup was canceled. Verified {what}: {entries}.")
    else:
        screen.say(f"Verified: {entries}.")
    if records:
        screen.say(f"Records re-executed and compared: {len(report.games):,}.")
    if report.removed:
        screen.say(f"Reasons that moderators removed: {report.removed:,}.")
    screen.say("Compare these hashes with those that you noted before the start:")
    screen.say(f"key       {ledger.key_hash}")
    screen.say(f"entrants  {ledger.entrants_hash or 'not frozen'}")


def _compared(path: Path, games: Mapping[int, CupGame], screen: Screen) -> Iterator[str]:
    """Compare the games of a ledger with a file of ``esr download``. Other games of the file are skipped."""
    missing = set(games)
    try:
        with path.open("rb") as stream, screen.progress(TextColumn("{task.fields[games]} games")) as progress:
            task = progress.add_task("Re-executing", total=path.stat().st_size, games=0)
            for number, line, read in lines_of(stream):
                progress.update(task, advance=read, games=len(games) - len(missing))
                try:
                    document = strict.parse(line or b"")
                except ValueError:
                    yield f"{path}:{number} is not a line of `esr download`."
                    continue
                match = document.get("match") if type(document) is dict else None
                if type(match) is int and match in games:
                    missing.discard(match)
                    yield from record_faults(games[match], document.get("players"), document.get("record"))
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from error
    if missing:
        yield f"Games of the ledger that are not in {path}: {len(missing):,}, for example match {min(missing)}."


VERIFY_CUP_COMMAND = SubCommand(
    "verify-cup",
    "Verify a cup by recomputing its deals, pairings, points and standings from its ledger.",
    """\
examples:
  esr verify-cup winter-cup-ledger.json
  esr verify-cup https://arena.example.org/cups/winter-cup/
  esr download edel-stein-reich-4 && esr verify-cup winter-cup-ledger.json --records edel-stein-reich-4.jsonl

The page of the cup offers the ledger. Note the hashes of the key and of the entrant list before the start, and compare
them with those that the command prints. With --records, all games are re-executed from their seeds. Swiss cups and
successive halving at two seats need rustworkx: pip install "steinreich[verify]".

The exit code is 1 if something is wrong, and 4 if nothing is wrong so far but the cup is not finished.""",
    verify_cup_arguments,
    run_verify_cup,
)


# --- esr verify-season -----------------------------------------------------------------------------------------------


def verify_season_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr verify-season``."""
    source = parser.add_argument("source", metavar="FILE|URL", help="deals, or URL of the deals or the season page")
    source.complete = "file"  # type: ignore[attr-defined]


def run_verify_season(options: Namespace, screen: Screen) -> int:
    """Verify all deals of a season."""
    report, lines = SeasonReport(), _lines(_pieces(options.source, "deals.jsonl", MAX_DEALS_BYTES))
    try:
        faults = list(islice(verify_season(lines, report), MOST_FAULTS))
    except ValueError as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{options.source} does not contain the deals of a season: {error}.") from error
    closed = sum(series.closed for series in report.series.values())
    series = [
        {"name": series.name, "deals": series.last, "key_hash": series.key_hash} for series in report.series.values()
    ]
    about = {"ladder": report.ladder, "season": report.season, "deals": report.deals, "closed": closed}
    ok = not faults and report.is_over
    screen.answer({"ok": ok, "over": report.is_over, **about, "series": series, "faults": faults})
    if faults:
        return _show_faults(faults, f"season {report.season} of {report.ladder}", screen)
    if report.is_over:
        screen.say(f"Verified: all {_count(report.deals, 'deal')} match the season keys, and no number is missing.")
    else:
        screen.say("Not finished: the season keys are secret until the season is over.", "yellow")
        screen.say(f"No faults so far: {_count(report.deals - closed, 'deal')} public, {closed:,} not yet public.")
    screen.say("Compare these hashes with those that the site published when the season opened:")
    for deal_series in report.series.values():
        screen.say(f"{deal_series.key_hash}  {deal_series.name}, {_count(deal_series.last, 'deal')}")
    return 0 if report.is_over else UNFINISHED


VERIFY_SEASON_COMMAND = SubCommand(
    "verify-season",
    "Verify all deals of a season by recomputing them from the season keys.",
    """\
examples:
  esr verify-season edel-stein-reich-4-season-1-deals.jsonl
  esr verify-season https://arena.example.org/ladders/edel-stein-reich-4/seasons/1/

The season page offers the deals. The exit code is 1 if something is wrong, and 4 if nothing is wrong so far but the
season keys are not public yet.""",
    verify_season_arguments,
    run_verify_season,
)
