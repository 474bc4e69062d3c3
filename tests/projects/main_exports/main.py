"""A pretrained part that is a LightningModule too, frozen by its own methods, and a model that is exported."""

import os

import lightning as L
import torch
from encoder import Encoder
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(L.LightningModule):
    def __init__(self, thaw_at: int):
        super().__init__()
        self.save_hyperparameters()
        self._strict_loading = False
        self.encoder = Encoder(3, 4)
        self.encoder.freeze()
        self.head = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder(x))

    def on_train_epoch_start(self):
        if self.current_epoch == self.hparams.thaw_at:
            self.encoder.unfreeze()

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 0.05)

    def state_dict(self, *args, **options):
        """What the encoder was trained to elsewhere is not saved again."""
        found = super().state_dict(*args, **options)
        return {name: value for name, value in found.items() if not name.startswith("encoder.scale")}


def main():
    L.seed_everything(3)
    x = torch.rand(24, 3, generator=torch.Generator().manual_seed(1))
    loader = DataLoader(TensorDataset(x, (x.sum(1) > 1.5).long()), batch_size=4, shuffle=True)
    model = Classifier(thaw_at=1)
    trainer = L.Trainer(max_epochs=2, enable_progress_bar=False, enable_model_summary=False, logger=False)
    trainer.fit(model, loader)
    trainer.save_checkpoint("exported.ckpt")
    again = L.Trainer(max_epochs=3, enable_progress_bar=False, enable_model_summary=False, logger=False)
    again.fit(model, loader, ckpt_path="exported.ckpt")
    model.freeze()
    scripted = model.to_torchscript()
    traced = model.to_torchscript(method="trace", example_inputs=x[:2])
    results = {
        "needed": [parameter.requires_grad for parameter in model.parameters()],
        "modes": [module.training for module in model.modules()],
        "on_gpu": model.on_gpu,
        "scripted": scripted(x),
        "traced": traced(x),
    }
    torch.save(results, f"main_exports.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
