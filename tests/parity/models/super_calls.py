import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class CallsSuper(L.LightningModule):
    """Every hook goes on to Lightning's own."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.2), nn.Linear(4, 1))

    def prepare_data(self):
        super().prepare_data()

    def setup(self, stage):
        super().setup(stage)
        self.data = TensorDataset(torch.randn(24, 2, generator=torch.Generator().manual_seed(0)))

    def teardown(self, stage):
        super().teardown(stage)

    def on_fit_start(self):
        super().on_fit_start()

    def on_fit_end(self):
        super().on_fit_end()

    def on_train_start(self):
        super().on_train_start()

    def on_train_end(self):
        super().on_train_end()

    def on_train_epoch_start(self):
        super().on_train_epoch_start()

    def on_train_epoch_end(self):
        super().on_train_epoch_end()

    def on_train_batch_start(self, batch, batch_idx):
        return super().on_train_batch_start(batch, batch_idx)

    def on_train_batch_end(self, outputs, batch, batch_idx):
        super().on_train_batch_end(outputs, batch, batch_idx)

    def on_validation_start(self):
        super().on_validation_start()

    def on_validation_end(self):
        super().on_validation_end()

    def on_validation_epoch_start(self):
        super().on_validation_epoch_start()

    def on_validation_epoch_end(self):
        super().on_validation_epoch_end()

    def on_validation_batch_start(self, batch, batch_idx, dataloader_idx=0):
        super().on_validation_batch_start(batch, batch_idx, dataloader_idx)

    def on_validation_batch_end(self, outputs, batch, batch_idx, dataloader_idx=0):
        super().on_validation_batch_end(outputs, batch, batch_idx, dataloader_idx)

    def on_before_batch_transfer(self, batch, dataloader_idx):
        return super().on_before_batch_transfer(batch, dataloader_idx)

    def transfer_batch_to_device(self, batch, device, dataloader_idx):
        return super().transfer_batch_to_device(batch, device, dataloader_idx)

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return super().on_after_batch_transfer(batch, dataloader_idx)

    def on_before_zero_grad(self, optimizer):
        super().on_before_zero_grad(optimizer)

    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        super().optimizer_zero_grad(epoch, batch_idx, optimizer)

    def on_before_backward(self, loss):
        super().on_before_backward(loss)

    def backward(self, loss, *args, **kwargs):
        super().backward(loss, *args, **kwargs)

    def on_after_backward(self):
        super().on_after_backward()

    def on_before_optimizer_step(self, optimizer):
        super().on_before_optimizer_step(optimizer)

    def configure_gradient_clipping(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        super().configure_gradient_clipping(
            optimizer, gradient_clip_val=gradient_clip_val, gradient_clip_algorithm=gradient_clip_algorithm
        )

    def optimizer_step(self, *args, **kwargs):
        super().optimizer_step(*args, **kwargs)

    def lr_scheduler_step(self, scheduler, metric):
        super().lr_scheduler_step(scheduler, metric)

    def on_save_checkpoint(self, checkpoint):
        super().on_save_checkpoint(checkpoint)

    def on_load_checkpoint(self, checkpoint):
        super().on_load_checkpoint(checkpoint)

    def log(self, name, value, **options):
        super().log(name, value, **options)

    def log_dict(self, values, **options):
        super().log_dict(values, **options)

    def train(self, mode=True):
        return super().train(mode)

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch[0]) - 1).square().mean()
        self.log("loss", loss)
        self.log_dict({"twice": 2 * loss})
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", (self.net(batch[0]) - 1).square().mean(), on_epoch=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), 0.1)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]

    def train_dataloader(self):
        return DataLoader(self.data, batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.data, batch_size=4)
