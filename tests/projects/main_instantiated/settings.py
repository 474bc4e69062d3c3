import hydra
from hydra.utils import instantiate

__all__ = ["hydra", "instantiate"]
