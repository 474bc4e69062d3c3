"""The model derives from one of Lightning's demos, and the data comes from there."""

import torch
from lightning.pytorch import Trainer, seed_everything
from lightning.pytorch.demos.boring_classes import BoringDataModule, BoringModel


class Net(BoringModel):
    def __init__(self, lr=0.002):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Sequential(torch.nn.Linear(32, 8), torch.nn.GELU(), torch.nn.Linear(8, 2))

    def training_step(self, batch, batch_idx):
        result = super().training_step(batch, batch_idx)
        self.log("train_loss", result["loss"])
        return result

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)


def main():
    seed_everything(4)
    data, model = BoringDataModule(), Net()
    trainer = Trainer(max_epochs=2, limit_train_batches=20, logger=False, enable_progress_bar=False)
    trainer.fit(model, datamodule=data)


if __name__ == "__main__":
    main()
