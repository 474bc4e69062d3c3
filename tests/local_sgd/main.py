"""A main that gives DDPStrategy a hook and a period, of which the period alone does something on the CPU."""

import lightning as L
from lightning.pytorch.strategies import DDPStrategy
from model import Net
from torch.distributed.algorithms.ddp_comm_hooks import post_localSGD_hook as post_local_sgd

if __name__ == "__main__":
    strategy = DDPStrategy(
        ddp_comm_state=post_local_sgd.PostLocalSGDState(None, None, start_localSGD_iter=4),
        ddp_comm_hook=post_local_sgd.post_localSGD_hook,
        model_averaging_period=5,
    )
    trainer = L.Trainer(max_epochs=4, strategy=strategy, logger=False)
    trainer.fit(Net())
