"""The site around the ladder: settings, Celery, URLs, accounts and the supervisor. Knows no rules of a game."""
