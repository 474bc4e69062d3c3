from .tools import Trainer, seed_everything
