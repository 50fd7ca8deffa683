"""Live games: tables that requests advance, not one worker.

The row of the match is the lock of its table: lock it to change anything (``lock_match``). Moves are appended rows, and
the state is what replaying them gives (``position``). Clocks are deadlines in the database's time. ``decisions``
decides what a seat may be shown, and ``visibility`` what the public may see of a running game. Nothing else of a table
is public before the match has ended.

For human players, ``person_view`` contains what they are shown, ``rights`` and ``actions`` what they may do besides
moves, ``presence`` who is online, and ``absences`` the consequences of absence. ``outages`` keeps their clocks
fair when the site was unavailable.
"""
