"""Lightning's callbacks."""
