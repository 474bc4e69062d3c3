"""The main that stays the user's: what it makes, what it has the Trainer do, and what takes its place."""
