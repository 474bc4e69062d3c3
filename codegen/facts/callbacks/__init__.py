"""Callbacks: those that are made, and what they do with the trainer and the model."""
