"""A data module with a state of its own, loaders that are asked for early, and numbers of batches told to callbacks."""

import os

import lightning as L
import torch
from lightning.pytorch.utilities.seed import isolate_rng
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEEN = []


class Curriculum(L.LightningDataModule):
    """Gives more of its data from one epoch to the next, and goes on from where a checkpoint was."""

    def __init__(self):
        super().__init__()
        self.level = 1

    def loader(self, seed):
        with isolate_rng(include_cuda=False):
            torch.manual_seed(seed)
            x = torch.rand(8 * self.level, 3)
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=2)

    def train_dataloader(self):
        return self.loader(0)

    def val_dataloader(self):
        return self.loader(1)

    def test_dataloader(self):
        return [self.loader(2), self.loader(3)]

    def predict_dataloader(self):
        return self.loader(4)

    def state_dict(self):
        return {"level": self.level}

    def load_state_dict(self, state_dict):
        SEEN.append(["loaded", dict(state_dict)])
        self.level = state_dict["level"]


class Counts(L.Callback):
    def on_fit_start(self, trainer, pl_module):
        SEEN.append(["fit", trainer.current_epoch, trainer.global_step])

    def on_train_start(self, trainer, pl_module):
        SEEN.append(["train", trainer.current_epoch, trainer.global_step])

    def on_train_end(self, trainer, pl_module):
        SEEN.append(["trained", trainer.current_epoch, trainer.global_step])

    def on_validation_epoch_start(self, trainer, pl_module):
        SEEN.append(["val", list(trainer.num_val_batches)])

    def on_test_batch_start(self, trainer, pl_module, batch, batch_idx, dataloader_idx=0):
        SEEN.append(["test", sum(trainer.num_test_batches[:dataloader_idx]) + batch_idx])

    def on_predict_start(self, trainer, pl_module):
        SEEN.append(["predict", list(trainer.num_predict_batches)])


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def loss(self, batch):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def training_step(self, batch, batch_idx):
        return self.loss(batch)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def test_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("test_loss", self.loss(batch), sync_dist=True)

    def predict_step(self, batch, batch_idx):
        return self.layer(batch[0])

    def configure_optimizers(self):
        self.trainer.fit_loop.setup_data()
        steps = len(self.trainer.train_dataloader) * self.trainer.max_epochs
        SEEN.append([self.current_epoch, self.global_step, steps, self.trainer.num_training_batches])
        optimizer = torch.optim.SGD(self.parameters(), 0.1)
        return [optimizer], [torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=steps)]


def trainer_of(epochs):
    limits = {"limit_val_batches": 3, "limit_test_batches": 99, "limit_predict_batches": 0.5}
    return L.Trainer(
        max_epochs=epochs,
        logger=False,
        enable_progress_bar=False,
        callbacks=[Counts()],
        use_distributed_sampler=False,
        **limits,
    )


if __name__ == "__main__":
    L.seed_everything(3)
    data, model, trainer = Curriculum(), Model(), trainer_of(1)
    data.level = 2
    SEEN.append([hasattr(model, hook) for hook in ("on_fit_end", "test_dataloader")])
    SEEN.append([hasattr(data, "setup"), hasattr(model, "favorite")])
    trainer.fit(model, datamodule=data)
    trainer.save_checkpoint("data_state.ckpt")
    last = Curriculum()
    results = trainer.test(model, datamodule=last, ckpt_path="data_state.ckpt")
    trainer.predict(model, datamodule=last)
    trainer.validate(model, datamodule=last)
    later = Curriculum()
    trainer_of(1).fit(Model(), datamodule=later, ckpt_path="data_state.ckpt")  # which has trained enough
    trainer_of(2).fit(Model(), datamodule=later, ckpt_path="data_state.ckpt")
    found = SEEN, later.level, last.level, results
    torch.save(found, f"main_data_state.{os.environ.get('RANK', '0')}.results.pt")
