"""Model and data tell the parser what they take, each in a group of its own; all of it goes to all of them."""

from argparse import ArgumentParser

import lightning.pytorch as pl
from data.windows import WindowData
from models.forecaster import Forecaster


def main(args):
    dict_args = vars(args)
    pl.seed_everything(args.seed)
    datamodule = WindowData.from_args(args)
    model = Forecaster(**dict_args)
    trainer = pl.Trainer(max_epochs=args.max_epochs, enable_progress_bar=False)
    trainer.fit(model, datamodule=datamodule)


if __name__ == "__main__":
    parser = ArgumentParser(add_help=False)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--max_epochs", type=int, default=3)
    parser = Forecaster.add_model_specific_args(parser)
    parser = WindowData.add_data_specific_args(parser)
    main(parser.parse_args())
