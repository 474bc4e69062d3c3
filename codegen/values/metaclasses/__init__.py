"""Metaclasses of the user's: how they make objects and classes."""
