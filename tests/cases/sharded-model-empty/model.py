import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Scaled(nn.Linear):
    def reset_parameters(self):
        nn.init.ones_(self.weight)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = Scaled(4, 1)
        torch.nn.init.normal_(self.layer.weight, std=0.02)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=4)


if __name__ == "__main__":
    model = Net()
    print(model)
    L.Trainer(max_epochs=1).fit(model)
