"""Hyperparameters in one Namespace, for the model and for the Trainer's every setting."""

from argparse import ArgumentParser, Namespace

import lightning.pytorch as pl
from system import System


def main(hparams: Namespace) -> None:
    pl.seed_everything(hparams.seed)
    system = System(hparams)
    trainer = pl.Trainer(
        max_epochs=hparams.max_epochs,
        min_epochs=hparams.min_epochs,
        max_steps=hparams.max_steps,
        accumulate_grad_batches=hparams.grad_accumulation,
        gradient_clip_val=hparams.clip or None,
        gradient_clip_algorithm=hparams.clip_algorithm,
        val_check_interval=hparams.val_interval,
        check_val_every_n_epoch=hparams.val_epochs,
        limit_train_batches=hparams.limit,
        num_sanity_val_steps=hparams.sanity,
        log_every_n_steps=hparams.log_steps,
        precision=hparams.precision,
        deterministic=hparams.deterministic,
        enable_progress_bar=not hparams.quiet,
    )
    trainer.fit(system)


if __name__ == "__main__":
    parser = ArgumentParser()
    parser.add_argument("--seed", default=3, type=int)
    parser.add_argument("--max_epochs", default=4, type=int)
    parser.add_argument("--min_epochs", default=1, type=int)
    parser.add_argument("--max_steps", default=-1, type=int)
    parser.add_argument("--grad_accumulation", default=1, type=int)
    parser.add_argument("--clip", default=0.5, type=float)
    parser.add_argument("--clip_algorithm", default="value")
    parser.add_argument("--val_interval", default=0.5, type=float)
    parser.add_argument("--val_epochs", default=1, type=int)
    parser.add_argument("--limit", default=1.0, type=float)
    parser.add_argument("--sanity", default=1, type=int)
    parser.add_argument("--log_steps", default=2, type=int)
    parser.add_argument("--precision", default=32, type=int)
    parser.add_argument("--deterministic", action="store_true")
    parser.add_argument("--quiet", action="store_false", dest="loud")
    parser.set_defaults(quiet=True)
    main(parser.parse_args())
