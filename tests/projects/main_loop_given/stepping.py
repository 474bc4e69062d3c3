from collections.abc import Callable

import lightning as L
import torch


def with_own_start(
    model: L.LightningModule, loss: torch.Tensor, world_size: int, is_started: bool = True, lr: float = 0.5
) -> None:
    """Steps an optimizer of its own before the model's."""
    if is_started:
        optimizer = model.optimizers()
    else:
        optimizer, loss = torch.optim.SGD(model.parameters(), lr=lr), loss * world_size
    optimizer.zero_grad()
    model.manual_backward(loss)
    optimizer.step()


class SteppedBy(L.LightningModule):
    def __init__(self, step_with: Callable[..., None] | None = None, momentum: float = 0.0) -> None:
        super().__init__()
        self.step_with = step_with
        if self.step_with is not None:
            self.automatic_optimization = False
        self.momentum = momentum

    def training_step(self, batch: list[torch.Tensor], batch_idx: int) -> torch.Tensor:
        loss = self.loss_of(batch)
        if self.step_with is not None:
            self.step_with(self, loss, world_size=self.trainer.world_size, is_started=batch_idx > 1)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=self.momentum)
