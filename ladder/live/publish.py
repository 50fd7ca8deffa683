"""Save what has changed at a table, and publish it."""

from __future__ import annotations

from ladder.live.clocks import milliseconds
from ladder.live.game import LockedMatch
from ladder.live.notify import What, end_soon, tell, tell_of_the_end, wake
from ladder.live.rows import stop
from ladder.models import LiveSeat, Match


def save_and_publish(table: LockedMatch) -> None:
    """Save the changes at a table, if there are any, and publish them."""
    if not table.has_changed:
        return
    table.save()
    if table.aborted:
        stop(table.match, Match.Status.ABORTED, table.aborted)
        tell_of_the_end(table.match.pk)
    else:
        _publish(table)


def _publish(table: LockedMatch) -> None:
    """Notify the seats that are asked now, and all others of the change."""
    match_id = table.match.pk
    if table.position.table.over:
        end_soon(match_id)
        return
    now = table.clock_now
    hosted = [live_seat for live_seat in table.asked if live_seat.kind in LiveSeat.ASKED_BY_WORKERS]
    remote = [live_seat for live_seat in table.asked if live_seat.kind == LiveSeat.Kind.REMOTE]
    in_ms = max((milliseconds(now, live_seat.due_at) for live_seat in table.asked if live_seat.due_at), default=0)
    if in_ms and table.appended:
        tell(match_id, "moved")  # the move is visible before the forced steps after it, and before the next decision
    what: What = "decide" if len(hosted) < len(table.asked) else "moved"
    tell(match_id, what, [live_seat.seat.version.bot_id for live_seat in remote], in_ms)
    of_a_guest = any(live_seat.guest for live_seat in table.position.live_seats)
    for live_seat in hosted:
        wake(match_id, live_seat.seat.index, in_ms, last=of_a_guest)
