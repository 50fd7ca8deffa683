"""``manage.py demo-data``: fill a site with users, bots, ladders and match requests by playing real matches.

This package writes no results: bots are uploaded and validated as usual, and the workers play the scheduled matches.
"""
