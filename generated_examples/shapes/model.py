"""A convolutional network that tells discs, squares and crosses apart in noise."""

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

SIZE = 16  # pixels each way
KINDS = ("disc", "square", "cross")


def drawn(kind: int, generator: torch.Generator) -> torch.Tensor:
    """An image of one shape, somewhere, of some size."""
    place = torch.randint(5, SIZE - 5, (2,), generator=generator)
    radius = int(torch.randint(2, 5, (), generator=generator))
    rows, columns = (torch.arange(SIZE) - place[:, None]).abs()
    rows, columns = rows[:, None], columns[None, :]
    inside = (
        rows**2 + columns**2 <= radius**2,
        torch.maximum(rows, columns) <= radius,
        (torch.minimum(rows, columns) == 0) & (torch.maximum(rows, columns) <= radius),
    )
    noise = torch.randn(SIZE, SIZE, generator=generator)
    return inside[kind].float() + 0.3 * noise


class Shapes(L.LightningDataModule):
    """Images drawn anew for each run, the same on all ranks: their number is no multiple of the batches'."""

    def __init__(self, count: int = 1203, batch_size: int = 16):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage):
        generator = torch.Generator().manual_seed(3)
        kinds = torch.randint(len(KINDS), (self.hparams.count,), generator=generator)
        images = torch.stack([drawn(int(kind), generator) for kind in kinds])
        whole = TensorDataset(images[:, None], kinds)
        self.train, self.val = random_split(whole, [0.8, 0.2], generator)

    def train_dataloader(self):
        return DataLoader(self.train, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, self.hparams.batch_size)


class ShapeClassifier(L.LightningModule):
    def __init__(self, width: int = 16, lr: float = 0.01):
        super().__init__()
        self.save_hyperparameters()
        self.network = nn.Sequential(
            *self.stage(1, width),
            *self.stage(width, 2 * width),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(2 * width, len(KINDS)),
        )

    @staticmethod
    def stage(inputs: int, outputs: int) -> list[nn.Module]:
        convolution = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
        return [convolution, nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)]

    def forward(self, images):
        return self.network(images)

    def training_step(self, batch, batch_idx):
        images, kinds = batch
        loss = F.cross_entropy(self(images), kinds)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        images, kinds = batch
        logits = self(images)
        self.log("val_loss", F.cross_entropy(logits, kinds), prog_bar=True, sync_dist=True)
        right = (logits.argmax(1) == kinds).float().mean()
        self.log("val_accuracy", right, prog_bar=True, sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), self.hparams.lr, momentum=0.9)
        return [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)]
