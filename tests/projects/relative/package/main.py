import lightning as L

from .package import Classifier

if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(Classifier())
