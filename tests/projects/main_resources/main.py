"""What packages have in files beside them."""

from importlib import resources
from importlib.resources import as_file, open_text

import conf.more
import lightning as L
import torch
from conf import read
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate
        self.layer = nn.Linear(*map(int, resources.read_text(conf.more, "sizes.txt").split()))

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.rate)


def epochs():
    from conf import more

    with open_text(more, "epochs.txt") as file, as_file(resources.files(more) / "epochs.txt") as path:
        text = file.read()
        assert path.read_text() == text and resources.is_resource(more, "sizes.txt")
    return int(text)


if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=epochs())
    trainer.fit(Net(read("rate.txt")), DataLoader(TensorDataset(torch.rand(16, 4)), batch_size=4))
