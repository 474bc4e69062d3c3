"""What numbers are computed in, and how exactly: precision, determinism, NaN."""
