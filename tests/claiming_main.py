"""The same model, in a main that trains once."""

import argparse

import lightning.pytorch as pl
from claiming import Net


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    pl.seed_everything(3)
    trainer = pl.Trainer(max_epochs=4, log_every_n_steps=1, default_root_dir=options.out)
    trainer.fit(Net(options.lr))


if __name__ == "__main__":
    main()
