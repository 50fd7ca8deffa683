"""The command-line tool ``esr``: run and check bots locally, and work with a site."""
