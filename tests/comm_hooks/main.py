"""A main that gives DDPStrategy a hook, which Lightning registers on CUDA devices alone."""

import lightning as L
from lightning.pytorch.strategies import DDPStrategy
from model import Net
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks as default
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as powerSGD

if __name__ == "__main__":
    strategy = DDPStrategy(
        ddp_comm_state=powerSGD.PowerSGDState(process_group=None, start_powerSGD_iter=2),
        ddp_comm_hook=powerSGD.powerSGD_hook,
        ddp_comm_wrapper=default.fp16_compress_wrapper,
    )
    trainer = L.Trainer(max_epochs=4, strategy=strategy, logger=False)
    trainer.fit(Net())
