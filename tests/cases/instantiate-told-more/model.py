import hydra
import lightning as L
import torch
from hydra_zen import instantiate
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


@hydra.main(config_path="conf", config_name="train", version_base=None)
def main(config):
    trainer = instantiate(config.trainer, _target_wrapper_=print)
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))


if __name__ == "__main__":
    main()
