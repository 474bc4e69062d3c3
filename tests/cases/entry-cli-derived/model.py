from lightning.pytorch.cli import LightningCLI
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class NetCLI(LightningCLI):
    def add_arguments_to_parser(self, parser):
        parser.set_defaults({"trainer.max_epochs": 3})

    def after_fit(self):
        print(self.trainer.callback_metrics)


def main():
    cli = NetCLI(
        Net,
        seed_everything_default=7,
        trainer_defaults={"max_epochs": 3},
        save_config_callback=None,
    )
    cli.trainer.test()


if __name__ == "__main__":
    main()
