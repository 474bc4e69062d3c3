"""What methods of a LightningCLI change of its settings."""
