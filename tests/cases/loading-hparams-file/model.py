import lightning as L
import torch


class Net(L.LightningModule):
    def __init__(self, width: int):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(width, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 2))


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(Net(2))
    again = Net.load_from_checkpoint(
        "last.ckpt",
        hparams_file="hparams.yaml",
    )
    trainer.validate(Net.load_from_checkpoint("last.ckpt", "cpu", "hparams.yaml"))
    Net.load_from_checkpoint("last.ckpt", "cpu", None)
