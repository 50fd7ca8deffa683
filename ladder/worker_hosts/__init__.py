"""Work for worker hosts: what a host may play, the code that it may read, and what it brings.

A host is a machine with a token (``bots.worker_hosts``). The site trusts none: a lease belongs to the host that got it,
a host gets code only of bots that play by a lease that it holds, and the site re-executes every record. Work that
failed on a host, or that the host did not bring, is left to others for a while.

``work`` is the entrance. The other modules are the kinds of work. Claims, leases and results are those of Celery
workers (``ladder.matches.assignments``, ``bots.uploads.attempt``, ``ladder.live.hosted``).
"""
