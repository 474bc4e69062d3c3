import lightning as L
from callbacks_of_mine import Progress
from lightning.pytorch.callbacks import ModelCheckpoint
from models.net import Net
from models.shapes import AREA, Circle

trainer = L.Trainer(max_epochs=1, callbacks=[ModelCheckpoint(), Circle()])
trainer.fit(Net(AREA))
