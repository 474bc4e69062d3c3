import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.trainer.states import RunningStage, TrainerFn
from torch import nn
from torch.utils.data import DataLoader

from .layers import samples


class Classifier(L.LightningModule):
    """Tests with one layer in training mode, and predicts with all."""

    def __init__(self, hidden=8, rate=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.Dropout(0.4), nn.Dropout(0.2), nn.Linear(hidden, 3))
        self.seen = []

    def setup(self, stage):
        if stage == TrainerFn.FITTING:
            self.seen.append("fits")

    def training_step(self, batch, batch_idx):
        loss = F.cross_entropy(self.layers(batch[0]), batch[1])
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        assert not self.layers[1].training
        if self.trainer.state.stage == RunningStage.SANITY_CHECKING:
            self.seen.append("tried")
        self.log("val_loss", F.cross_entropy(self.layers(batch[0]), batch[1]), sync_dist=True)

    def test_step(self, batch, batch_idx):
        assert self.layers[1].training
        assert not self.layers[2].training
        self.log("test_loss", F.cross_entropy(self.layers(batch[0]), batch[1]), sync_dist=True)

    def predict_step(self, batch, batch_idx):
        assert self.layers[2].training
        return self.layers(batch[0]).argmax(1)

    def on_test_model_eval(self):
        super().on_test_model_eval()
        self.layers[1].train()

    def on_test_model_train(self):
        self.seen.append("tested")
        self.train()

    def on_predict_model_eval(self):
        self.seen.append("predicts")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams_initial["rate"], momentum=0.5)


class Digits(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(samples(40), batch_size=8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(samples(12, 1), batch_size=4)

    def test_dataloader(self):
        return DataLoader(samples(16, 2), batch_size=4)

    def predict_dataloader(self):
        return DataLoader(samples(8, 3), batch_size=4)
