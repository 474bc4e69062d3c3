"""Branches of the project's code that the configuration rules out which is composed when building."""
