import collating
import lightning as L
from torch import nn, optim


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean() * collating.weight

    def on_train_epoch_start(self):
        """Has the next epoch told of, with a weight of its own."""
        import collating as module

        weight = self.current_epoch / 4
        module._has_told = False
        collating.weight += weight

    def configure_optimizers(self):
        return optim.SGD(self.parameters(), lr=0.1)
