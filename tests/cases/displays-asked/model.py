import lightning as L
import torch
from lightning.pytorch.callbacks import ProgressBar, RichProgressBar, Timer, TQDMProgressBar
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Bar(TQDMProgressBar):
    def init_train_tqdm(self):
        return super().init_train_tqdm()


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def on_fit_start(self):
        print([each for each in self.trainer.callbacks if isinstance(each, ProgressBar)])


def has_bar(callbacks):
    return any(isinstance(each, ProgressBar) for each in callbacks)


def has(callbacks, kind):
    return any(isinstance(each, kind) for each in callbacks)


def asked_later(callbacks, kind):
    return (isinstance(each, kind) for each in callbacks)


def made():
    callbacks = [Timer()]
    return callbacks


def lent(kept=[Timer()]):
    kept[0:0] = []
    return kept


def main():
    callbacks = [Timer(), Bar()]
    if not any(isinstance(each, ProgressBar) for each in callbacks):  # which is known
        callbacks.append(RichProgressBar())
    own = [each for each in callbacks if isinstance(each, Bar)]
    plain = [each for each in callbacks if type(each) is TQDMProgressBar]
    print(len(own), len(plain), has_bar(callbacks), has(callbacks, ProgressBar), has(made(), ProgressBar))  # the second and third are known
    print(has(lent(), ProgressBar), asked_later(callbacks, RichProgressBar))
    print([type(each).__name__ == "Bar" for each in callbacks])
    for number in range(2):
        print(any(isinstance(each, RichProgressBar) for each in callbacks))
        trainer = L.Trainer(max_epochs=1, callbacks=callbacks)
    print(any(isinstance(each, ProgressBar) for each in callbacks), has(callbacks, kind=RichProgressBar), has_bar(callbacks))
    bars = {"rich": RichProgressBar}
    print(len(bars))
    trainer.fit(Net())


if __name__ == "__main__":
    main()
