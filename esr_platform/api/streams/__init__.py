"""Streams, long polls and answers to decisions of live games.

A waiting client needs a coroutine but no thread (``application``). Queries run on a few shared threads (``threads``).
Each process has one subscription to Redis (``hub``), which tells streams to read the database again. All streams run
the same loop (``stream``) over one of four sources: ``match`` for spectators, ``seat``, ``bot`` and ``lobby``.
"""
