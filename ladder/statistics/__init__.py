"""Pure arithmetic over finished blocks: seat values, block savings, transfers between players. No database."""
