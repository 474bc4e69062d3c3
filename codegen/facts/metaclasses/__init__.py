"""Metaclasses of the user's: what they do, as far as it is read."""
