import pytorch_lightning as pl
import torch
from pytorch_lightning.core.decorators import auto_move_data
from pytorch_lightning.utilities.cli import MODEL_REGISTRY
from torch.utils.data import DataLoader, TensorDataset


class Stop(pl.Callback):
    def on_keyboard_interrupt(self, trainer, pl_module):
        trainer.should_stop = True


@MODEL_REGISTRY
class Net(pl.LightningModule):
    def __init__(self, hparams=None):
        super().__init__()
        self.hparams = hparams
        self.layer = torch.nn.Linear(4, 1)
        self.accuracy = pl.metrics.Accuracy()

    @auto_move_data
    def forward(self, x):
        return self.layer(x)

    def training_step(self, batch, batch_idx, optimizer_idx):
        print(self.trainer.running_sanity_check, self.datamodule)
        return self(batch[0]).mean()

    def on_train_epoch_end(self, outputs):
        pass

    def get_progress_bar_dict(self):
        return {}

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def main():
    settings = {"weights_summary": None, "max_epochs": 2}
    trainer = pl.Trainer(
        gpus=1,
        auto_select_gpus=True,
        tpu_cores=8,
        progress_bar_refresh_rate=20,
        checkpoint_callback=False,
        resume_from_checkpoint="last.ckpt",
        accelerator="ddp",
        callbacks=[Stop()],
        **settings,
    )
    trainer.tune(Net())
    if settings["max_epochs"] > 2:
        trainer.tuner.lr_find(Net())
    trainer.fit(Net(), train_dataloader=Net().train_dataloader())


if __name__ == "__main__":
    main()
