import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width):
        super().__init__()
        self.automatic_optimization = width > 1
        self.layer = nn.Linear(4, width)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        return {"optimizer": optimizer, "lr_scheduler": scheduler}

    def training_epoch_end(self, outputs):
        self.logger.log_metrics({})

    def on_fit_end(self):
        self.log("done", 1.0)


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=3, gpus=2)
    trainer.fit(Net())
    trainer.test()
