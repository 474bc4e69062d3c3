"""What is logged, and the loggers that it is written to."""
