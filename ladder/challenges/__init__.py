"""Live games that somebody proposes: remote bots and people are asked, and it begins once all have accepted."""
