import lightning as L
import torch
from lightning.pytorch.loggers import TensorBoardLogger
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter


class Renewed(TensorBoardLogger):
    def renew(self):
        self._experiment = None

    def share(self, writer):
        self._experiment = writer


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(torch.ones(4, 4))


def main():
    logger = Renewed("logs")
    logger.renew()
    logger.share(SummaryWriter("elsewhere"))
    plain = TensorBoardLogger("logs")
    plain._experiment = None
    plain._experiment = SummaryWriter("elsewhere")
    trainer = L.Trainer(max_epochs=1, logger=[logger, plain])
    trainer.fit(Net())


if __name__ == "__main__":
    main()
