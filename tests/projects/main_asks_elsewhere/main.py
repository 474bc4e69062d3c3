"""A trainer and a model are handed to modules that know nothing of Lightning, and ask what only its objects have."""

import os
from functools import partial

import lightning as L
import torch
from tools.counting import Counts
from tools.scalars import Scalars
from tools.summing_up import results
from tools.stepping import steps
from tools.telling import told
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEEN = []


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.scalars = Scalars(self, prefix="train")
        self.counts = Counts("steps", of=self)

    def training_step(self, batch, batch_idx):
        from tools import watching

        loss = self.layer(batch[0]).square().mean()
        self.scalars.log("loss", loss)
        SEEN.append(self.counts.now())
        SEEN.append(watching.place(of=self))
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


class Watching(L.Callback):
    def __init__(self, watch):
        self.watch = watch

    def on_train_epoch_end(self, trainer, pl_module):
        self.watch.note(trainer)


def main():
    from tools.watching import Watch

    L.seed_everything(5)
    data = DataLoader(TensorDataset(torch.rand(16, 3, generator=torch.Generator().manual_seed(1))), batch_size=4)
    model, watch = Model(), Watch()
    trainer = L.Trainer(
        max_epochs=2, logger=False, callbacks=[Watching(watch)], enable_progress_bar=False, enable_model_summary=False
    )
    trainer.fit(model, data)
    objects = {"model": model, "trainer": trainer, "data": data}
    SEEN.append(results(trainer))
    SEEN.append(told(objects))
    SEEN.append(partial(steps, trainer)())
    torch.save([SEEN, watch.noted], f"main_asks_elsewhere.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
