from typing import cast

import lightning as L
import unheard_of
from torch.utils.data import DataLoader

try:
    Watching = unheard_of.Watching
except AttributeError:
    Watching = None


def main():
    from never_heard_of import Forecaster

    callbacks = []
    if Watching is not None:
        callbacks.append(Watching())
    model = Forecaster.from_dataset([1, 2])
    trainer = L.Trainer(max_epochs=1, callbacks=callbacks)
    trainer.fit(cast(L.LightningModule, model), DataLoader([1, 2]))


if __name__ == "__main__":
    main()
