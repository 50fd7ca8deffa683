"""What programs change: bots and their versions, where they stand, and what is to be played on demand."""
