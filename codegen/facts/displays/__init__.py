"""Callbacks that only show something: which they are, and code that asks for them."""
