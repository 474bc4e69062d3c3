import lightning as L


class Base(L.LightningModule): ...
