"""What holds for the loop as a whole: its length, its hooks, what stops it."""
