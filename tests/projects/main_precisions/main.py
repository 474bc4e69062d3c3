"""One model after the other, each in a precision that the command line may name, with every stage."""

import argparse
import os

import lightning as L
import torch
from net import Net
from torch.utils.data import DataLoader, TensorDataset


def loader(seed):
    x = torch.randn(24, 3, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)


def run(precision):
    L.seed_everything(1)
    model = Net()
    trainer = L.Trainer(
        max_epochs=2,
        precision=precision,
        gradient_clip_val=0.5,
        accumulate_grad_batches=2,
        logger=False,
        enable_progress_bar=False,
        enable_checkpointing=False,
    )
    trainer.fit(model, loader(0), loader(1))
    return {
        "metrics": dict(trainer.callback_metrics),
        "validated": trainer.validate(model, loader(1), verbose=False),
        "tested": trainer.test(model, loader(2), verbose=False),
        "predicted": trainer.predict(model, loader(3)),
        "precision": trainer.precision,
        "seen": model.seen,
        "weights": model.state_dict(),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--precisions", nargs="*", default=["64", "bf16-true", "16-true", "32", "16-mixed", "bf16"])
    args = parser.parse_args()
    found = {precision: run(precision) for precision in args.precisions}
    torch.save(found, f"main_precisions.{os.environ.get('RANK', '0')}.results.pt")
