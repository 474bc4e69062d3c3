"""Ranks that have the whole model each: how they share gradients."""
