"""Lightning's trainer has some names only where the code gives it them."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        if batch_idx > 100:
            print(self.trainer.favorite_metric, self.trainer.curent_epoch)
        return self.layer(x).square().mean() * self.trainer.scale

    def count_steps(self):
        if self.trainer.max_steps > 0:
            return self.trainer.max_steps
        return self.trainer.num_training_batches // max(1, self.trainer.num_gpus)

    @property
    def num_steps(self):
        self.trainer.reset_train_dataloader(self)
        return self.trainer.max_steps

    def configure_optimizers(self):
        print(self.count_steps())
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        if self.layer.out_features > 1:
            return [optimizer], [torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=self.num_steps)]
        return optimizer


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=int("1"))
    trainer.scale = 2
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
