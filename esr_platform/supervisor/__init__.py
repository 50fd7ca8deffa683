"""Everything the site consists of, under one command: ``manage.py run``. Decides nothing about matches."""
