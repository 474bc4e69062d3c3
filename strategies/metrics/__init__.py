"""What a model logs."""
