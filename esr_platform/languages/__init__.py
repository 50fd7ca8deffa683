"""In which language a page speaks: who chooses it, and the words that its scripts need."""
