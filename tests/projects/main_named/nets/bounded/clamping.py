import lightning as L
import torch

BOUNDS = {"most": 0.3}


class Clamped(L.Callback):
    def __init__(self, least=-0.3, most=1.0):
        self.least, self.most = least, most

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        with torch.no_grad():
            for weight in pl_module.parameters():
                weight.clamp_(self.least, self.most)
