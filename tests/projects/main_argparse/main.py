"""A main as people write it: options, a seed, a model, a trainer, in functions of their own."""

import argparse
import os

import lightning.pytorch as pl
from classifier import Classifier
from lightning.pytorch.callbacks import EarlyStopping


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--hidden", type=int, default=6)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--clip", type=float, default=0.5)
    return parser.parse_args()


def make_trainer(args: argparse.Namespace) -> pl.Trainer:
    return pl.Trainer(
        accelerator="cpu",
        devices=int(os.environ.get("DEVICES", 1)),
        max_epochs=args.epochs,
        accumulate_grad_batches=args.accumulate,  # as the memory allows
        gradient_clip_val=args.clip,
        enable_progress_bar=False,
        limit_train_batches=0.8,
        callbacks=args.callbacks,
    )


def main(args: argparse.Namespace) -> None:
    pl.seed_everything(args.hidden, True)
    options = vars(args)
    options.update({"model_class": Classifier, "patience": 1})
    args = argparse.Namespace(**options)
    model = args.model_class(hidden=args.hidden)
    args.callbacks = [EarlyStopping("loss", min_delta=10.0, patience=args.patience)]
    trainer = make_trainer(args)
    if trainer.is_global_zero:
        print(f"training for {args.epochs} epochs")
    trainer.fit(model)
    if trainer.global_rank == 0:
        print("loss", trainer.callback_metrics["loss"].item(), trainer.current_epoch)


if __name__ == "__main__":
    main(parse_args())
