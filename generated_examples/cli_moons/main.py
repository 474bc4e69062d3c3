"""`python main.py fit --config ddp.yaml` trains with LightningCLI; ddpgen reads the same file."""

from lightning.pytorch.cli import LightningCLI

from moons.data import Moons
from moons.model import Perceptron


def cli_main() -> None:
    LightningCLI(Perceptron, Moons)


if __name__ == "__main__":
    cli_main()
