import lightning as L
import torch
from torch import nn


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    from parts import Data

    L.Trainer(max_epochs=1).fit(Net(), datamodule=Data())


def unused():
    from parts import Other

    return Other()


if __name__ == "__main__":
    main()
