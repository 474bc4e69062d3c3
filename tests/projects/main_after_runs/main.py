"""What a main asks of trainers that run no more, before, between and after others with the same model."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEEN = []


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss, prog_bar=True)
        SEEN.append((self.trainer.training, str(self.trainer.state.fn)))
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).abs().mean(), sync_dist=True)
        SEEN.append((self.trainer.training, self.trainer.evaluating))

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch[0]).mean(), sync_dist=True, logger=False)

    def predict_step(self, batch, batch_idx):
        return self.layer(batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def see(*trainers):
    for trainer in trainers:
        told = (trainer.callback_metrics, trainer.logged_metrics, trainer.progress_bar_metrics)
        SEEN.append([{name: float(value) for name, value in metrics.items()} for metrics in told])
        SEEN.append((trainer.current_epoch, trainer.training, trainer.testing, trainer.evaluating))


def new_trainer(epochs=1):
    return L.Trainer(max_epochs=epochs, logger=False, enable_progress_bar=False, enable_model_summary=False)


def main():
    L.seed_everything(5)
    data = DataLoader(TensorDataset(torch.rand(16, 3, generator=torch.Generator().manual_seed(1))), batch_size=4)
    model = Model()
    first, second, third = new_trainer(2), new_trainer(), new_trainer()
    see(first)
    first.fit(model, data, data)
    see(first)
    SEEN.append((model.current_epoch, model.global_step, model.logger, [*model.loggers], str(model.dtype)))
    SEEN.append((model.global_rank, model.local_rank, model.automatic_optimization, model.strict_loading))
    SEEN.append((model.example_input_array, model.on_gpu))
    model.print("trained")
    second.test(model, data, verbose=False)
    see(first, second)
    second.predict(model, data)
    see(first, second)
    third.fit(model, data, data)
    see(first, second, third)
    first.validate(model, data, verbose=False)
    see(first, third)
    torch.save(SEEN, f"main_after_runs.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
