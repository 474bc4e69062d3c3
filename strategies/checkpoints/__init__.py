"""Checkpoints, random states, and how a run goes on."""
