import lightning as L


class Net(L.LightningModule):
    pass
