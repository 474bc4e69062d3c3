import math
from collections import defaultdict

import lightning as L
import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler


class Identities(Dataset):
    def __init__(self, people=6, each=5):
        generator = torch.Generator().manual_seed(people)
        centers = torch.randn(people, 4, generator=generator).repeat_interleave(each, 0)
        self.x = centers + 0.3 * torch.randn(people * each, 4, generator=generator)
        self.labels = torch.arange(people).repeat_interleave(each).tolist()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.x[index], self.labels[index]


class PKSampler(Sampler):
    """So many people a batch, so many pictures of each; it deals itself out among the ranks."""

    def __init__(self, labels, p, k):
        self.by_label = defaultdict(list)
        for index, label in enumerate(labels):
            self.by_label[label].append(index)
        self.p, self.k, self.epoch = p, k, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        rank = dist.get_rank() if dist.is_initialized() else 0
        generator = torch.Generator().manual_seed(1000 * self.epoch + rank)
        for _ in range(len(self)):
            chosen = torch.randperm(len(self.by_label), generator=generator)[: self.p].tolist()
            batch = []
            for label in chosen:
                own = self.by_label[label]
                batch += [own[i] for i in torch.randperm(len(own), generator=generator)[: self.k].tolist()]
            yield batch

    def __len__(self):
        return math.ceil(len(self.by_label) / self.p)


class Embedding(L.LightningModule):
    """Triplets of the hardest, out of batches by an own sampler."""

    def __init__(self, margin: float = 0.5, dim: int = 3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, dim))
        self.gallery = []

    def forward(self, x):
        return nn.functional.normalize(self.net(x), dim=-1)

    def hardest(self, z, labels):
        distance = torch.cdist(z, z)
        same = labels[:, None] == labels[None]
        positive = (distance * same).amax(1)
        negative = (distance + 10.0 * same).amin(1)
        return nn.functional.relu(positive - negative + self.hparams.margin)

    def training_step(self, batch, batch_idx):
        x, labels = batch
        losses = self.hardest(self(x), labels)
        active = losses[losses > 0]
        self.log("active", active.numel() / losses.numel(), batch_size=1)
        return losses.mean()

    def on_validation_epoch_start(self):
        self.gallery = []

    def validation_step(self, batch, batch_idx):
        x, labels = batch
        self.gallery.append((self(x), labels))

    def on_validation_epoch_end(self):
        z, labels = (torch.cat(part) for part in zip(*self.gallery))
        distance = torch.cdist(z, z).fill_diagonal_(float("inf"))
        self.log("recall@1", (labels[distance.argmin(1)] == labels).float().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.02)

    def train_dataloader(self):
        data = Identities()
        return DataLoader(data, batch_sampler=PKSampler(data.labels, 3, 4))

    def val_dataloader(self):
        return DataLoader(Identities(4), batch_size=6)
