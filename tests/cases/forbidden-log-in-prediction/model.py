import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Sums(L.Callback):
    def __init__(self):
        self.total = 0.0

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.total += float(outputs)

    def on_validation_epoch_end(self, trainer, pl_module):
        self.tell(pl_module, "val")

    def on_predict_epoch_end(self, trainer, pl_module):
        self.tell(pl_module, "predict")

    def on_test_end(self, trainer, pl_module):
        pl_module.log("tested", self.total)

    def tell(self, pl_module, prefix):
        pl_module.log(f"{prefix}/total", self.total)
        self.total = 0.0


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def validation_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def test_step(self, batch, batch_idx):
        self.log("loss", self.layer(batch[0]).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def loader():
    return DataLoader(TensorDataset(torch.rand(4, 2)))


if __name__ == "__main__":
    L.seed_everything(1, True)
    trainer = L.Trainer(max_epochs=1, callbacks=[Sums()])
    trainer.fit(Net(), loader(), loader())
    trainer.test(dataloaders=loader())
