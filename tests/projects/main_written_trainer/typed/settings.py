from typing import Any

from pydantic import BaseModel


class Settings(BaseModel):
    seed: int
    model: dict[str, Any]
    data: dict[str, Any]
    trainer: dict[str, Any]
