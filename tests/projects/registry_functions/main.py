import lightning as L
import torch
from nets import layers  # fills the tables
from nets.registry import HEADS, LAYERS, Base
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(Base):
    def __init__(self):
        super().__init__()
        hidden = [LAYERS[name](3, 3) for name in ("wide", "narrow", "twice", "thrice", "half")]
        self.net = nn.Sequential(*hidden, HEADS.items["head"](3, 1))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)

    def train_dataloader(self):
        x = torch.arange(60.0).reshape(20, 3) / 60
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)


if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(Net())
