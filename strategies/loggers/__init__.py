"""Where metrics are written to."""
