"""The pages of people who have bots: bringing one, what its check says, what it may do, and the logs of its games."""
