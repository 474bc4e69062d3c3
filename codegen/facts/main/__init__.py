"""The code that starts training: the simple entry, and the main that stays the user's."""
