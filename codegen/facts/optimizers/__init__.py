"""What `configure_optimizers` returns, and who steps it."""
