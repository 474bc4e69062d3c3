import lightning.pytorch as pl
import torch

pl.seed_everything(3)
WIDTH = int(torch.randint(8, 16, ()))
