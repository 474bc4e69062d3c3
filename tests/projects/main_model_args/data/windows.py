import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader, TensorDataset


class WindowData(pl.LightningDataModule):
    def __init__(self, window: int = 6, batch_size: int = 8):
        super().__init__()
        self.save_hyperparameters()

    @classmethod
    def from_args(cls, args):
        return cls(window=args.window, batch_size=args.batch_size)

    @classmethod
    def add_data_specific_args(cls, parent_parser):
        group = parent_parser.add_argument_group(cls.__name__)
        group.add_argument("--window", type=int, default=5)
        group.add_argument("--batch_size", type=int, default=8)
        return parent_parser

    def setup(self, stage=None):
        series = torch.arange(60.0).mul(0.3).sin()[:, None]
        windows = series.unfold(0, self.hparams.window + 1, 1).transpose(1, 2)
        self.dataset = TensorDataset(windows[:, :-1], windows[:, -1])

    def train_dataloader(self):
        return DataLoader(self.dataset, self.hparams.batch_size, shuffle=True)
