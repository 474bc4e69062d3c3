"""Ranks that fail, or hang, end the job, and the cause is told once."""
