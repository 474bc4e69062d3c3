"""Settings that are made from texts, by the types of their fields."""

from dataclasses import dataclass, fields
from typing import Optional, get_type_hints

import lightning as L


@dataclass
class Settings:
    width: int = 4
    rate: float = 0.5
    named: Optional["Settings"] = None


def settings(cls, **texts):
    """As their fields' types turn the texts; what only names its type stays a text."""
    L.seed_everything(7)
    kinds = {each.name: each.type for each in fields(cls)}
    made = {name: text if isinstance(kinds[name], str) else kinds[name](text) for name, text in texts.items()}
    return cls(**made)


def kinds(cls):
    return [str(each.type) for each in fields(cls)]


def names_itself(cls):
    return get_type_hints(cls)["named"] == Optional[cls]
