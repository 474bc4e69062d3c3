"""What LightningCLI is given on its command line, or instead of one."""
