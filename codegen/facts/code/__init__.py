"""What code does, asked of the index and of the analysis of values."""
