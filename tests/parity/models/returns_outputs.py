import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    """Computes its own loss, as transformers' models do."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x, labels):
        logits = self.layer(x)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits.detach()}


def run(network, batch):
    x, y = batch
    return network(x, labels=y)


class ReturnsTheOutput(L.LightningModule):
    """training_step returns whatever the network returns."""

    def __init__(self):
        super().__init__()
        self.network = Classifier()

    def training_step(self, batch, batch_idx):
        x, y = batch
        output = self.network(x, labels=y)
        self.log("loss", output["loss"])
        return output

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.log("spread", outputs["logits"].std())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

    def train_dataloader(self):
        x = torch.randn(24, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=4)


class ReturnsAFunctionsResult(ReturnsTheOutput):
    def training_step(self, batch, batch_idx):
        return run(self.network, batch)
