import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.freeze()
        print(self.example_input_array, self.device_mesh)
        self._device = torch.device("cpu")

    def training_step(self, batch, batch_idx):
        (x,) = batch
        losses = self.all_gather(self.layer(x.to(self.dtype)))
        return losses.mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def on_train_end(self):
        self.to_torchscript("model.pt")
        print(self._trainer is None, getattr(self, "_current_fx_name", ""), hasattr(self, "_dtype"))
        print(getattr(self, "fabric", None), hasattr(self, "CHECKPOINT_HYPER_PARAMS_KEY"))
        other = self.load_from_checkpoint("last.ckpt")
        other.unfreeze()
