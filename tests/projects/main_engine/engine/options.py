from dataclasses import dataclass


@dataclass
class Options:
    epochs: int = 2
