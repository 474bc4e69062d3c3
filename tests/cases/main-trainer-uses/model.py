import lightning as L
import registry
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

    def on_train_end(self):
        strategy = getattr(self.trainer, "strategy", None)
        if strategy is not None:
            strategy.barrier()
            strategy.teardown()


def main(epochs):
    trainer = L.Trainer(max_epochs=epochs)
    trainer.fit(Net())
    trainer.fit(Net(), datamodule=None, train_dataloaders=[1])
    trainer.test(Net())
    print(str(trainer.strategy))
    print(getattr(trainer, "strategy", None).model)
    print(trainer.state)
    registry.TRAINERS["one"].fit(Net())


if __name__ == "__main__":
    main(2)
