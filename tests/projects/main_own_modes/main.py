import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping
from torch.utils.data import DataLoader, TensorDataset


class ByRatio(EarlyStopping):
    """A value that is smaller by a tenth is better: nothing else says so than the class's body."""

    mode_dict = {"min": lambda value, best: torch.lt(value, best * 0.9), "max": torch.gt}


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = (self.layer(x) - y).square().mean()
        self.log("loss", loss, on_step=False, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.02)


def main():
    L.seed_everything(4)
    x = torch.rand(32, 3)
    trainer = L.Trainer(max_epochs=30, callbacks=[ByRatio("loss", patience=2)])
    trainer.fit(Net(), DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8))
    print(trainer.current_epoch, "epochs of at most 30")


if __name__ == "__main__":
    main()
