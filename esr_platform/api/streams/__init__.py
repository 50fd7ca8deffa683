"""Streams, long polls and answers to decisions of games that run.

A waiting client costs a coroutine and no thread (``serving``). Queries run on a few shared threads (``threads``). One
subscription to Redis per process (``hub``) says what to look at again; what is sent is read from the database. Every
stream runs the same loop (``stream``) over one of four sources: ``match`` for spectators, ``seat``, ``bot``, ``lobby``.
"""
