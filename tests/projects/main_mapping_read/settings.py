"""Settings in a module that the script goes on importing."""

from pydantic import BaseModel


class TrainerSettings(BaseModel):
    max_epochs: int = 3
    gradient_clip_val: float | None = 0.01
    accumulate_grad_batches: int = 2
    deterministic: bool = False


class Settings(BaseModel):
    trainer: TrainerSettings = TrainerSettings()
