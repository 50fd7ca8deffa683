"""Live games: tables that are driven by requests, not by one worker.

The row of the match is the lock of its table: whoever changes anything of a table holds it (``advancing``). Moves are
appended rows and the state is what playing them again gives (``position``); clocks are deadlines in the database's own
time. What a seat may be shown is said by ``asking``, what everybody may see of a running game by ``public``, and
nothing else of a table leaves the house before the match has ended.

People sit there too: ``person_view`` is what they are shown, ``rights`` what they may do besides playing, ``absences``
what follows when they are away, ``stand_ins`` who plays in their chairs then, ``sittings`` who sat where, and
``outages`` keeps their clocks fair when the site was away.
"""
