import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, LambdaCallback
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Thawing(Callback):
    def setup(self, trainer, pl_module, stage):
        trainer.strategy.setup_optimizers(trainer)

    def on_train_epoch_start(self, trainer, pl_module):
        strategy = trainer.strategy
        strategy.setup_optimizers(trainer)
        trainer.strategy.setup_optimizers()
        print(hasattr(trainer, "setup_optimizers"))
        trainer.setup_optimizers()

    def on_test_end(self, trainer, pl_module):
        pl_module.thaw()


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def thaw(self):
        self.trainer.strategy.setup_optimizers(self.trainer)

    def forward(self, x):
        if self.training:
            self.trainer.strategy.setup_optimizers(self.trainer)
        return self.layer(x)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self(x).square().mean()

    def validation_step(self, batch, batch_idx):
        pass

    def on_validation_end(self):
        self.trainer.strategy.setup_optimizers(self.trainer)

    def test_step(self, batch, batch_idx):
        pass

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def loader():
    return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    by_lambda = LambdaCallback(on_train_start=lambda trainer, model: trainer.strategy.setup_optimizers(trainer))
    trainer = L.Trainer(callbacks=[Thawing(), by_lambda])
    net = Net()
    trainer.fit(net, loader(), loader())
    trainer.strategy.setup_optimizers(trainer)
    trainer.validate(net, loader())
    trainer.test(net, loader())
