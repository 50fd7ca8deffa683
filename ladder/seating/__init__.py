"""Who sits down at live tables, and when: remote bots that are here and free, and hosted code where a ladder has it."""
