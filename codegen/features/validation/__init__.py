"""Validation, and when it is due."""
