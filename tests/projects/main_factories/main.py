"""Classes that are defined in functions, over the functions' arguments; a model is made by a function that makes its class."""

import os

import lightning as L
import torch
from data import make_data
from lightning.pytorch.callbacks import Callback
from models import Unused, class_of


def build_model(width, activation=torch.relu):
    class Net(class_of(width)):
        def __init__(self, lr):
            super().__init__()
            self.save_hyperparameters()

        def forward(self, x):
            return self.out(activation(self.layer(x)))

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)

    return Net if width else Unused


def counting(into):
    class Count(Callback):
        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
            into.append(round(float(outputs["loss"]), 4))

        def on_train_epoch_end(self, trainer, pl_module):
            into.append(trainer.current_epoch)

    return Count()


def main(epochs=2):
    L.seed_everything(2)
    counted = []
    Model = build_model(width=5, activation=torch.tanh)
    trainer = L.Trainer(max_epochs=epochs, callbacks=[counting(counted)], logger=False, enable_progress_bar=False)
    trainer.fit(Model(lr=0.1), datamodule=make_data(count=18))
    torch.save(counted, f"main_factories.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
