import lightning as L

EPOCHS = 3


class Base(L.LightningModule):
    pass
