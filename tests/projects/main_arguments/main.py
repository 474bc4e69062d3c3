"""Trains a classifier of waves; `--help` shows what can be chosen."""

import torch
from lightning.pytorch import Trainer, seed_everything
from waves.data import WaveData
from waves.models import build_model
from waves.options import parse
from waves.training.callbacks import callbacks_for


def main():
    args, trainer_args = parse()
    seed_everything(args.seed, workers=True)
    data = WaveData(**vars(args.data))
    model = build_model(args)
    trainer = Trainer(**vars(trainer_args), callbacks=callbacks_for(args))
    if args.only_test:
        trainer.test(model, data, ckpt_path=args.ckpt_path)
        return
    trainer.fit(model, datamodule=data, ckpt_path=args.ckpt_path)
    trainer.test(model, datamodule=data)
    if trainer.is_global_zero:
        torch.save([model.state_dict(), trainer.checkpoint_callback.best_model_score], "main_arguments.0.results.pt")


if __name__ == "__main__":
    main()
