import argparse

import lightning as L
import torch
from lightning.pytorch.loggers import CSVLogger, NeptuneLogger
from lightning.pytorch.callbacks import ModelPruning
from lightning.pytorch.utilities.deepspeed import convert_zero_checkpoint_to_fp32_state_dict
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

LOGGERS = {"csv": CSVLogger, "neptune": NeptuneLogger}


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self.layer(x).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def convert(folder):
    convert_zero_checkpoint_to_fp32_state_dict(folder, "weights.pt")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--logger", default="csv")
    parser.add_argument("--prune", action="store_true")
    parser.add_argument("--convert")
    args = parser.parse_args()
    callbacks = []
    if args.prune:
        callbacks.append(ModelPruning("l1_unstructured"))
    if args.logger == "hosted":
        logger = NeptuneLogger(project="nets")
    else:
        logger = LOGGERS[args.logger]("logs")
    L.Trainer(max_epochs=1, logger=logger, callbacks=callbacks).fit(Net())
    if args.convert:
        convert(args.convert)


if __name__ == "__main__":
    main()
