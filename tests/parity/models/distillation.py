import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def network(width: int, dropout: float = 0.0) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(5, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, 3)
    )


class Teacher(pl.LightningModule):
    """A LightningModule inside of another."""

    def __init__(self, width: int = 16):
        super().__init__()
        self.save_hyperparameters()
        self.net = network(self.hparams.width, 0.5)

    def forward(self, x):
        return self.net(x)


class Distillation(pl.LightningModule):
    """The teacher stays in eval mode whatever becomes of the student."""

    def __init__(self, alpha: float = 0.7, T: float = 2.0, student_width: int = 4):
        super().__init__()
        self.save_hyperparameters()
        self.student = network(student_width)
        self.teacher = Teacher().eval()
        for p in self.teacher.parameters():
            p.requires_grad = False

    def train(self, mode: bool = True):
        super().train(mode)
        self.teacher.eval()
        return self

    def _losses(self, batch):
        x, y = batch
        logits = self.student(x)
        with torch.inference_mode():
            taught = self.teacher(x)
        soft = F.kl_div(
            F.log_softmax(logits / self.hparams.T, -1),
            F.softmax(taught.clone() / self.hparams.T, -1),
            reduction="batchmean",
        )
        return F.cross_entropy(logits, y), soft * self.hparams.T**2

    def training_step(self, batch, batch_idx):
        hard, soft = self._losses(batch)
        loss = (1 - self.hparams["alpha"]) * hard + self.hparams["alpha"] * soft
        self.log_dict({"train/hard": hard, "train/soft": soft, "train/loss": loss}, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, *args):
        hard, soft = self._losses(batch)
        self.log_dict({"val/hard": hard, "val/soft": soft})
        self.log("teacher_trains", float(any(m.training for m in self.teacher.modules())))

    def configure_optimizers(self):
        return torch.optim.RMSprop(self.student.parameters(), lr=0.005)

    def _loader(self, seed, **kwargs):
        x = torch.randn(36, 5, generator=torch.Generator().manual_seed(seed))
        return DataLoader(TensorDataset(x, (x[:, 0] > 0).long() + (x[:, 1] > 0).long()), batch_size=9, **kwargs)

    def train_dataloader(self):
        return self._loader(0, shuffle=True)

    def val_dataloader(self):
        return self._loader(1)
