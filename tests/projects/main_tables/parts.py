import lightning as L
import reducing
import torch
from heads import plain, scaled
from rows import Reversed, Rows  # noqa: F401
from torch import nn
from torch.utils.data import DataLoader


HEADS = {"plain": plain, "scaled": scaled}


class Samples:
    def __init__(self, kind):
        self.kind = globals()[kind]

    def of(self, count):
        return self.kind(torch.randn(count, 4, generator=torch.Generator().manual_seed(count)))


class Net(L.LightningModule):
    def __init__(self, size=4):
        super().__init__()
        self.reduce = "halved_mean" if size else None
        self.layer = HEADS["scaled"].head(size)

    def training_step(self, batch, batch_idx):
        return reducing.reduced(self.reduce, self.layer(batch[0]).square())

    def test_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("error", self.layer(batch[0]).abs().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Deep(Net):
    def __init__(self, size=4, depth=2):
        super().__init__(size)
        self.layer = nn.Sequential(*(nn.Linear(size, size) for _ in range(depth)), *self.heads(size))

    def heads(self, size):
        return [vars(HEADS[name])["head"](size) for name in HEADS.keys() if name in HEADS][:1]


NETS = {"net": Net, "deep": Deep}


def build(name, **options):
    return NETS[name](**options)


def loaders(*counts):
    samples = Samples("Reversed" if len(counts) > 1 else "Rows")
    return [DataLoader(samples.of(count), batch_size=4) for count in counts]
