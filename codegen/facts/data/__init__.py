"""Loaders, datasets and samplers."""
