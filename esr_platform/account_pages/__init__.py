"""Pages, emails and feeds of accounts, and everything else about people that needs bots or ladders."""
