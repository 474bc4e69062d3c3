import lightning as L
from pk import flags
from pk.early import squared
from pk.flags import timed
from torch import nn, optim


class Net(L.LightningModule):
    scale = flags.SCALE

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    @timed
    def training_step(self, batch, batch_idx):
        loss = self.scale * squared(self.layer(batch)).mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return optim.SGD(self.parameters(), lr=0.01)
