from pl_bolts import datamodules


class Named(datamodules.MNISTDataModule):
    pass
