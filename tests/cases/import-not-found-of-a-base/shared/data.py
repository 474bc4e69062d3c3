from lightning.pytorch import LightningDataModule


class Plain(LightningDataModule):
    pass
