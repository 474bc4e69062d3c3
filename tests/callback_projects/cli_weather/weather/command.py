"""The command line of the project."""

from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.cli import LightningArgumentParser, LightningCLI

from . import settings
from .notes import note
from .settings import TITLE
from .watching import Decay


def twice(days: int) -> int:
    return 2 * days


class LinkedCLI(LightningCLI):
    """What every command line of ours links."""

    def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        parser.link_arguments("data.days", "model.init_args.days")
        parser.link_arguments("data.days", "model.init_args.hidden", compute_fn=twice)
        parser.link_arguments("data.stations", "model.init_args.stations", apply_on="instantiate")


class WeatherCLI(LinkedCLI):
    best: float = float("inf")

    def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        super().add_arguments_to_parser(parser)
        parser.add_argument("--title", type=str, default=TITLE, help="of the notes")
        parser.add_argument("--warm", type=float, default=settings.WARM, help="what the last bias begins with")
        parser.add_lightning_class_args(ModelCheckpoint, "checkpoint_best")
        parser.add_lightning_class_args(EarlyStopping, "patience")
        parser.set_defaults({"checkpoint_best.dirpath": settings.BEST, "checkpoint_best.monitor": "val_loss"})
        parser.set_defaults({"patience.monitor": "val_loss", "patience.patience": 4})

    def before_instantiate_classes(self) -> None:
        given = self.config["fit"]
        note(f"{self.subcommand}: {given['title']} of {given.data.days} days, {self.config.fit.trainer.max_epochs} epochs")

    def after_instantiate_classes(self) -> None:
        super().after_instantiate_classes()
        self.model.warm_up(self.config["fit"]["warm"])

    def before_fit(self) -> None:
        note(f"{type(self.model).__name__} with {self.count_weights()} weights")
        self.trainer.callbacks.insert(0, Decay(0.5))

    def count_weights(self) -> int:
        return sum(weight.numel() for weight in self.model.parameters())

    def after_fit(self) -> None:
        self.best = float(self.trainer.callback_metrics["val_loss"])
        (result,) = self.trainer.test(self.model, datamodule=self.datamodule, ckpt_path="best")
        note(f"test loss {result['test_loss']:.6f}")

    def before_test(self) -> None:
        raise NotImplementedError("the script does not test alone")
