"""Steps and hooks of which one method has several names, in a model, in a class derived from it, and in callbacks."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.ends = []

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).sub(1).square().mean()
        self.log("loss", loss, sync_dist=True)
        return loss

    validation_step = training_step
    test_step = validation_step

    def on_train_epoch_end(self):
        self.ends.append([self.current_epoch, self.training])
        self.log("ends", torch.tensor(float(len(self.ends))), sync_dist=True)

    on_validation_epoch_end = on_test_epoch_end = on_train_epoch_end

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Doubled(Net):
    """Its validation is still that of the base."""

    def training_step(self, batch, batch_idx):
        return 2 * super().training_step(batch, batch_idx)


def half(model, batch, batch_idx):
    loss = model.layer(batch[0]).square().mean() / 2
    model.log("half", loss, sync_dist=True)
    return loss


class Borrowed(Net):
    """Its steps are of others: of what its base has, and of none."""

    def training_step(self, batch, batch_idx):
        return half(self, batch, batch_idx)

    validation_step = half
    test_step = Net.validation_step


class Watch(L.Callback):
    def __init__(self):
        self.seen = []

    def _note(self, trainer, pl_module):
        self.seen.append([trainer.global_step, float(trainer.callback_metrics.get("loss", -1))])
        pl_module.log("noted", float(len(self.seen)), sync_dist=True)

    on_train_epoch_end = on_validation_epoch_end = _note
    on_test_epoch_end = _note

    def on_fit_start(self, trainer, pl_module):
        self.seen.append([0, trainer.current_epoch])

    on_fit_end = on_fit_start


def main():
    L.seed_everything(3)
    rows = TensorDataset(torch.rand(24, 4, generator=torch.Generator().manual_seed(2)))
    loader, results = DataLoader(rows, batch_size=4), []
    for model in (Net(), Doubled(), Borrowed()):
        watch = Watch()
        trainer = L.Trainer(max_epochs=3, callbacks=[watch], logger=False, enable_checkpointing=False)
        trainer.fit(model, loader, DataLoader(rows, batch_size=6))
        told = {name: float(value) for name, value in sorted(trainer.callback_metrics.items())}
        results.append([model.ends, watch.seen, told, trainer.test(model, loader, verbose=False)])
    torch.save(results, "main_second_names.results.pt")


if __name__ == "__main__":
    main()
