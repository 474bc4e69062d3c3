import boards
import lightning as L
import torch
from boards.panel import LIGHTS
from boards.switch import SWITCHES
from parts import blocks
from parts.absent import Left, Right
from parts.inference import run
from parts.messages import Message
from recordings import open_recording
from torch import nn


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8, 4)))


if __name__ == "__main__":
    model = Net()
    L.Trainer(max_epochs=1).fit(model)
    run(model)
    blocks.show(model)
    print(boards.__path__, LIGHTS, SWITCHES, Message(), Left, Right, open_recording)
