import lightning as L
import torch
from classifier import Classifier

L.seed_everything(7)
torch.set_float32_matmul_precision("high")
widths = []
widths.append(5)
model = Classifier(widths[0])
weight = model.layers[1].weight.sum()
trainer = L.Trainer(max_epochs=2, enable_progress_bar=False)
trainer.fit(model)
print("moved", (model.layers[1].weight.sum() - weight).item())
