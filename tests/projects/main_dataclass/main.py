"""A configuration of nested dataclasses, overridden from the command line by hand."""

import sys
from dataclasses import asdict, dataclass, field, replace

import lightning as L
from models import ModelConfig, Network, OptimConfig


@dataclass(frozen=True)
class TrainConfig:
    epochs: int = 2
    seed: int = 4
    clip: float | None = None
    log_every: int = 1


@dataclass
class Config:
    """Named like the script's own."""

    model: ModelConfig = field(default_factory=ModelConfig)
    optim: OptimConfig = field(default_factory=lambda: OptimConfig(lr=0.05))
    train: TrainConfig = TrainConfig()


def parse(arguments: list[str]) -> Config:
    config = Config()
    for argument in arguments:
        path, _, value = argument.partition("=")
        section, name = path.split(".")
        part = getattr(config, section)
        setattr(config, section, replace(part, **{name: type(getattr(part, name))(value)}))
    return config


def fit(config: Config) -> L.Trainer:
    """Named like the script's own, too."""
    L.seed_everything(config.train.seed)
    model = Network(config.model, config.optim)
    trainer = L.Trainer(
        max_epochs=config.train.epochs,
        gradient_clip_val=config.train.clip,
        log_every_n_steps=config.train.log_every,
        enable_progress_bar=False,
        logger=False,
    )
    trainer.fit(model)
    return trainer


if __name__ == "__main__":
    config = parse(["model.hidden=7", "train.epochs=3", *sys.argv[1:]])
    trainer = fit(config)
    if trainer.is_global_zero:
        print(asdict(config), trainer.current_epoch, trainer.global_step)
