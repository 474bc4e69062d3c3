"""What is saved, when, and where."""
