import lightning as L
import torch
from lightning.pytorch.strategies.launchers.subprocess_script import _SubprocessScriptLauncher
from lightning.pytorch.trainer.connectors.signal_connector import _get_sigkill_signal
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def clean_up(trainer):
    launcher = trainer.strategy.launcher
    trainer._teardown()
    if isinstance(launcher, _SubprocessScriptLauncher):
        launcher.kill(_get_sigkill_signal())


def main():
    trainer = L.Trainer(max_epochs=1)
    try:
        trainer.fit(Net())
    except ValueError:
        clean_up(trainer)


if __name__ == "__main__":
    main()
