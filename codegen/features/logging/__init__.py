"""What is logged, and where it is written."""
