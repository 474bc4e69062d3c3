"""What a LightningCLI in the code says beside its file, read without running it."""
