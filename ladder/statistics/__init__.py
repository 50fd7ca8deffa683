"""Pure arithmetic over finished blocks: what seats are worth, what blocks save, who feeds whom. No database."""
