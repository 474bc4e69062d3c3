import lightning.pytorch as pl
from torch.utils.data import DataLoader

from .dataset import Waves
from .transforms import Compose, flip_at_random, normalize


class WaveData(pl.LightningDataModule):
    def __init__(self, count, length, batch_size, noise, num_workers=0):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        hp = self.hparams
        if stage in ("fit", None):
            self.train = Waves(hp.count, hp.length, hp.noise, 1, Compose(normalize, flip_at_random))
        if stage in ("fit", "validate", None):
            self.val = Waves(hp.count // 3, hp.length, hp.noise, 2, normalize)
        if stage in ("test", None):
            self.test = Waves(hp.count // 3, hp.length, hp.noise, 3, normalize)

    def _loader(self, dataset, **options):
        return DataLoader(
            dataset, batch_size=self.hparams.batch_size, num_workers=self.hparams.num_workers, **options
        )

    def train_dataloader(self):
        return self._loader(self.train, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return self._loader(self.val)

    def test_dataloader(self):
        return self._loader(self.test)
