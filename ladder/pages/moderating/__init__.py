"""What staff do to bots, and the trail of what staff have done."""
