"""Runs all processes of the site with one command, ``manage.py run``. Decides nothing about matches."""
