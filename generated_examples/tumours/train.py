"""Tell benign from malignant tumours by their cells: `python train.py --width 32 --lr 0.01`."""

import argparse
from pathlib import Path

import lightning.pytorch as pl
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger

from tumours import CellData, TumourClassifier
from tumours.callbacks import ReportMistakes


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    TumourClassifier.add_model_specific_args(parser)
    data = parser.add_argument_group("data")
    data.add_argument("--batch-size", type=int, default=32)
    data.add_argument("--workers", type=int, default=0)
    training = parser.add_argument_group("training")
    training.add_argument("--max-epochs", type=int, default=40)
    training.add_argument("--patience", type=int, default=5)
    training.add_argument("--clip", type=float, default=1.0)
    training.add_argument("--seed", type=int, default=7)
    training.add_argument("--out", type=Path, default=Path("runs/tumours"))
    training.add_argument("--resume", metavar="CHECKPOINT", help="go on from there")
    return parser.parse_args()


def main(args: argparse.Namespace) -> None:
    pl.seed_everything(args.seed, workers=True)
    data = CellData(args.batch_size, args.workers)
    model = TumourClassifier(args.width, args.depth, args.dropout, args.lr)
    checkpoint = ModelCheckpoint(
        dirpath=args.out / "checkpoints",
        filename="{epoch:02d}-{val_loss:.3f}",
        monitor="val_loss",
        save_top_k=2,
        save_last=True,
    )
    trainer = pl.Trainer(
        accelerator="auto",
        devices="auto",
        max_epochs=args.max_epochs,
        gradient_clip_val=args.clip,
        log_every_n_steps=5,
        logger=TensorBoardLogger(args.out, name="tensorboard", version=args.seed),
        callbacks=[
            checkpoint,
            EarlyStopping("val_loss", patience=args.patience, mode="min"),
            LearningRateMonitor("epoch"),
            ReportMistakes(),
        ],
    )
    trainer.fit(model, datamodule=data, ckpt_path=args.resume)
    if trainer.is_global_zero:
        print(f"best: {Path(checkpoint.best_model_path).name}, stopped after {trainer.current_epoch} epochs")
    trainer.test(model, datamodule=data, ckpt_path="best")


if __name__ == "__main__":
    main(parse_args())
