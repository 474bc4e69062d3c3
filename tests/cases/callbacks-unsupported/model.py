import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Watching(L.Callback):
    def on_train_start(self, trainer, pl_module):
        self.look(trainer, module=pl_module)

    def look(self, owner, module):
        print(owner.profiler, module.device_mesh)
        print(owner)

    def report(self, value):
        self.log("reported", value)

    def on_exception(self, trainer, pl_module, exception):
        print(exception)

    def on_test_end(self, trainer, pl_module):
        print("tested")


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


if __name__ == "__main__":
    logger = TensorBoardLogger("logs", log_graph=True)
    trainer = L.Trainer(max_epochs=3, logger=logger, callbacks=[Watching(), ModelCheckpoint(save_on_exception=True)])
    trainer.fit(Net())
