import lightning as L
import torch

from nets.table import register


@register("wide")
class Wide(L.LightningModule):
    power = 1

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean() ** self.power
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
