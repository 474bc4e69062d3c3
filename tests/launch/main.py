"""A main that asks its trainer which node it is."""

import lightning as L
import torch
from simple import Model

if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=1, logger=False)
    model = Model()
    trainer.fit(model)
    torch.save(model.state_dict(), f"node{trainer.node_rank}-rank{trainer.global_rank}.pt")
