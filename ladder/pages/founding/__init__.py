"""Staff open ladders here and look after their members; others come in by a link."""
