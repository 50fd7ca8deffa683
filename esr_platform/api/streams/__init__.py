"""Playing and watching over the API while games run: streams, long polls and answers to decisions.

Whoever waits here costs a coroutine and no thread (``serving``); what is asked of the database runs on a few threads
that all of them share (``threads``). One subscription to Redis a process says what to look at again (``hub``); what is
told is read from the database each time.
"""
