"""The same as LightningModules."""

import lightning as L
import torch.distributed as dist
from layers import SIZED, adam, batch, falling, layers, loss_of, sgd, streamed
from lightning.pytorch.callbacks import EarlyStopping
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Stream(IterableDataset):
    def __init__(self, model, rank):
        self.model, self.rank = model, rank

    def __iter__(self):
        epoch = self.model.current_epoch
        return (batch(epoch, self.rank, place) for place in range(streamed(epoch, self.rank)))


class Samples(Dataset):
    """Of each rank its own, in each epoch the same."""

    def __init__(self, rank, count):
        self.rank, self.count = rank, count

    def __len__(self):
        return self.count

    def __getitem__(self, place):
        return batch(0, self.rank, place)


class Steps(L.Callback):
    """Counts batches, and keeps the count."""

    def __init__(self):
        self.batches = 0

    def on_train_batch_end(self, trainer, model, outputs, batch, batch_idx):
        self.batches += 1

    def on_train_epoch_end(self, trainer, model):
        model.log("batches", float(self.batches))

    def state_dict(self):
        return {"batches": self.batches}

    def load_state_dict(self, state):
        self.batches = state["batches"]


class Net(L.LightningModule):
    """Of streams, whose lengths nobody knows."""

    def __init__(self):
        super().__init__()
        self.layers = layers()

    def training_step(self, x, batch_idx):
        loss = loss_of(self.layers, x)
        self.log("loss", loss, on_step=False, on_epoch=True, sync_dist=True, batch_size=len(x))
        self.log("own", loss, on_step=True, on_epoch=False)
        return loss

    def validation_step(self, x, batch_idx):
        self.log("val_loss", loss_of(self.layers, x), sync_dist=True, batch_size=len(x))

    def configure_callbacks(self):
        return [Steps(), EarlyStopping(monitor="val_loss", patience=9)]

    def configure_optimizers(self):
        optimizer = adam(self)
        return [optimizer], [{"scheduler": falling(optimizer), "interval": "step"}]

    def train_dataloader(self):
        return DataLoader(Stream(self, self.global_rank), batch_size=None)

    def val_dataloader(self):
        return DataLoader(Stream(self, 1 - self.global_rank), batch_size=None)


class Sized(Net):
    """Of data whose lengths are known."""

    def configure_optimizers(self):
        return sgd(self)

    def train_dataloader(self):
        return DataLoader(Samples(self.global_rank, SIZED[self.global_rank]), batch_size=None)


class Even(Sized):
    def train_dataloader(self):
        return DataLoader(Samples(self.global_rank, SIZED[0]), batch_size=None)


class Lacking(Sized):
    """One rank has nothing."""

    def train_dataloader(self):
        return DataLoader(Samples(self.global_rank, 3 * dist.get_rank()), batch_size=None)
