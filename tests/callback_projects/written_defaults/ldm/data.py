from functools import partial

import lightning.pytorch as pl
import torch
from ldm.util import instantiate_from_config
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __init__(self, size, frequency=1.0):
        self.points = torch.linspace(-1, 1, size * 4).view(size, 4) * frequency

    def __len__(self):
        return len(self.points)

    def __getitem__(self, index):
        return {"x": self.points[index], "y": self.points[index].sin().sum()}


class DataModuleFromConfig(pl.LightningDataModule):
    def __init__(self, batch_size, train=None, validation=None, test=None, shuffle_val=False):
        super().__init__()
        self.batch_size = batch_size
        self.dataset_configs = dict()
        if train is not None:
            self.dataset_configs["train"] = train
            self.train_dataloader = self._train_dataloader
        if validation is not None:
            self.dataset_configs["validation"] = validation
            self.val_dataloader = partial(self._val_dataloader, shuffle=shuffle_val)
        if test is not None:
            self.dataset_configs["test"] = test
            self.test_dataloader = self._test_dataloader

    def setup(self, stage=None):
        self.datasets = dict((k, instantiate_from_config(self.dataset_configs[k])) for k in self.dataset_configs)

    def _train_dataloader(self):
        return DataLoader(self.datasets["train"], batch_size=self.batch_size, shuffle=True)

    def _val_dataloader(self, shuffle=False):
        return DataLoader(self.datasets["validation"], batch_size=self.batch_size, shuffle=shuffle)

    def _test_dataloader(self):
        return DataLoader(self.datasets["test"], batch_size=self.batch_size)


class Doubled(DataModuleFromConfig):
    def _train_dataloader(self):
        return DataLoader(self.datasets["train"], batch_size=2 * self.batch_size, shuffle=True)
