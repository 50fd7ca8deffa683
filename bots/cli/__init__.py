"""The command line ``esr``: play and check bots on this machine, and use a site."""
