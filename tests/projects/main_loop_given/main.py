"""A function of a configuration's that steps the optimizers: the model does so itself where it is given one."""

import hydra
import lightning as L
import torch
import torch.nn.functional as F
from stepping import SteppedBy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(SteppedBy):
    def __init__(self, width: int = 3, scale: float = 1.0, **given) -> None:
        super().__init__(**given)
        self.scale = scale
        self.layer = nn.Linear(4, width)

    def loss_of(self, batch: list[torch.Tensor]) -> torch.Tensor:
        x, target = batch
        return self.scale * F.cross_entropy(self.layer(x), target)


class Data(L.LightningDataModule):
    def train_dataloader(self) -> DataLoader:
        x = torch.arange(64.0).view(16, 4) / 32
        return DataLoader(TensorDataset(x, torch.arange(16) % 3), batch_size=2, shuffle=True)


@hydra.main(version_base="1.3", config_path="conf", config_name="train")
def main(cfg) -> None:
    L.seed_everything(cfg.seed)
    trainer = hydra.utils.instantiate(cfg.trainer)
    model = hydra.utils.instantiate(cfg.model)
    trainer.fit(model, datamodule=hydra.utils.instantiate(cfg.data))
    if trainer.is_global_zero:
        torch.save([trainer.global_step, model.automatic_optimization], "main_loop_given.0.results.pt")


if __name__ == "__main__":
    main()
