"""What LightningCLI trains is named in its file alone; the file is as LightningCLI saves one, with every default."""

from lightning.pytorch.cli import LightningCLI

if __name__ == "__main__":
    LightningCLI(save_config_callback=None)
