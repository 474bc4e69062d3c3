import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Watch(L.Callback):
    def _count(self, trainer, module):
        print(trainer.global_step)

    state_key = "watch"
    on_train_epoch_end = _count
    on_fit_start = on_train_end = lambda self, trainer, module: None


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.training_step(batch, batch_idx))

    def on_validation_epoch_end(self):
        print(self.current_epoch)

    test_step = validation_step
    on_test_epoch_end = on_validation_epoch_end
    on_predict_epoch_end = on_validation_epoch_end

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    loader = DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
    trainer = L.Trainer(max_epochs=1, callbacks=[Watch()])
    net = Net()
    trainer.fit(net, loader, loader)
    print(trainer.callback_metrics)
    trainer.test(net, loader)
