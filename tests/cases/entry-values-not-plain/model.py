import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


SEED, WIDTH, EPOCHS, ACCELERATOR = 1, 2, 3, "cpu"


class Net(L.LightningModule):
    def __init__(self, width: int = 1):
        super().__init__()
        self.layer = nn.Linear(4, width)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    L.seed_everything(SEED)
    model = Net(width=WIDTH)
    trainer = L.Trainer(max_epochs=EPOCHS, accelerator=ACCELERATOR, gradient_clip_val=0.5 * 2)
    trainer.fit(model)
