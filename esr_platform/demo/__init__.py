"""``manage.py demo-data``: people, bots, ladders and orders with which a site looks alive, by really playing.

Nothing here writes a result: people upload through the same door as everybody, checks are played, and the workers play
what the scheduler pairs.
"""
