import lightning as L
import torch


class Net(L.LightningModule):
    def __init__(self, width: int = 4):
        super().__init__()
        self.layer = torch.nn.Linear(width, 1)

    def _apply_batch_transfer_handler(self, batch, device=None, dataloader_idx=0):
        return batch + 1

    def _on_before_batch_transfer(self, batch, dataloader_idx=0):
        return batch * 2

    def clip_gradients(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        print("clips")

    def log(self, name, value, **options):
        super().log(f"own/{name}", value, **options)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).sum()
        self.log_dict({"loss": loss})
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 4))


L.Trainer(max_epochs=7, gradient_clip_val=1.0).fit(Net())
