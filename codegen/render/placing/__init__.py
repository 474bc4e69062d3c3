"""What stands where in a script."""
