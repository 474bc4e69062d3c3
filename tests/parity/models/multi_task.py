from typing import Any, Dict

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

TASKS = {"shade": 3, "size": 2}


class Things(Dataset):
    def __init__(self, count):
        self.x = torch.randn(count, 5, generator=torch.Generator().manual_seed(count))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        targets = {"shade": int(x[:3].argmax()), "size": int(x[3] > 0), "weight": x[4] * 2}
        return {"x": x, "targets": targets}


class MultiTask(L.LightningModule):
    """Several heads; how much each loss counts is learned too."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.trunk = nn.Sequential(nn.Linear(5, kwargs.get("width", 8)), nn.GELU())
        width = self.trunk[0].out_features
        self.heads = nn.ModuleDict({task: nn.Linear(width, classes) for task, classes in TASKS.items()})
        self.heads["weight"] = nn.Linear(width, 1)
        self.log_vars = nn.ParameterDict({task: nn.Parameter(torch.zeros(())) for task in self.heads})

    def forward(self, x) -> Dict[str, torch.Tensor]:
        h = self.trunk(x)
        return {task: head(h) for task, head in self.heads.items()}

    def loss_for(self, task, out, target):
        if task in TASKS:
            return F.cross_entropy(out, target)
        return F.smooth_l1_loss(out.squeeze(-1), target)

    def shared_step(self, batch, prefix):
        outputs = self(batch["x"])
        losses = {task: self.loss_for(task, out, batch["targets"][task]) for task, out in outputs.items()}
        weighted = [torch.exp(-self.log_vars[task]) * loss + self.log_vars[task] for task, loss in losses.items()]
        total = torch.stack(weighted).sum()
        self.log_dict({f"{prefix}/{task}_loss": loss for task, loss in losses.items()}, on_epoch=True, on_step=False)
        self.log(f"{prefix}/total", total, prog_bar=prefix == "train")
        return total

    def training_step(self, batch, batch_idx):
        total = self.shared_step(batch, "train")
        return {"loss": total, "seen": len(batch["x"])}

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.log("weights", sum(p.exp() for p in self.log_vars.values()) + 0 * outputs["seen"])

    def validation_step(self, batch, batch_idx):
        return self.shared_step(batch, "val")

    def configure_optimizers(self):
        return torch.optim.Adam([{"params": self.trunk.parameters()}, {"params": self.heads.parameters(), "lr": 0.03},
                                 {"params": self.log_vars.values(), "lr": 0.1}], lr=0.01)

    def train_dataloader(self):
        return DataLoader(Things(33), batch_size=6, shuffle=True)

    def val_dataloader(self):
        return DataLoader(Things(10), batch_size=6)
