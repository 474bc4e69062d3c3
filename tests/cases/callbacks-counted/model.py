import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint, Timer
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).sum()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(torch.ones(4, 4))


class Last(Callback):
    def on_train_end(self, trainer, pl_module):
        print(len(LISTED))


LISTED = [Last()]


def made():
    callbacks = [EarlyStopping("loss"), Last()]
    print(len(callbacks), callbacks[-1])
    for each in callbacks:
        print(each)
    return callbacks


def count(callbacks):
    return len(callbacks)


def fold(callbacks):
    print(count(callbacks))
    trainer = L.Trainer(max_epochs=1, callbacks=callbacks)
    trainer.fit(Net())


def fresh():
    callbacks = made()
    print(len(callbacks))  # each time a new list
    L.Trainer(max_epochs=1, callbacks=callbacks).fit(Net())


def main():
    callbacks = made()
    print(len(callbacks), list(enumerate(callbacks)))
    trainer = L.Trainer(max_epochs=1, callbacks=callbacks)
    trainer.fit(Net())
    print(callbacks[0], [each for each in callbacks if isinstance(each, EarlyStopping)], callbacks[:1])
    for each in callbacks:
        if isinstance(each, (Last, EarlyStopping)) and trainer:
            print(each)
        elif isinstance(each, ModelCheckpoint):
            print(each.best_model_path)
    print(any(isinstance(each, Last) for each in callbacks))

    print(len(callbacks), len(list(callbacks)), *callbacks)
    print(len(callbacks) > 1, file=open(str(len(callbacks)), "w"))
    print(callbacks[-1], callbacks[1:], callbacks.pop())
    for number, each in enumerate(callbacks):
        print(number)
    for each in callbacks:
        if isinstance(each, Last):
            print(each)
        else:
            print("another")
    print([each for each in callbacks if not isinstance(each, Last)])
    print([each for each in callbacks if isinstance(each, Callback)])
    print(all(isinstance(each, Last) for each in callbacks))

    folds = [Last()]
    for _ in range(2):
        fold(folds)
    fresh()
    fresh()

    quiet = [Last()]
    L.Trainer(callbacks=quiet, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    print(len(quiet))
    copied = [Last()]
    L.Trainer(callbacks=[*copied])
    print(len(copied))

    timed = [Last()]
    L.Trainer(max_time="00:01:00:00", callbacks=timed).fit(Net())
    print([each for each in timed if isinstance(each, Timer)])
    L.Trainer(callbacks=timed).fit(Net())
    L.Trainer(max_epochs=1, callbacks=LISTED).fit(Net())


if __name__ == "__main__":
    main()
