import copy  # noqa: F401  # a name that another module has for something else

import lightning as L

import nets.classifier as nc

if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(nc.Classifier())
