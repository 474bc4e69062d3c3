"""A YAML file beside the script says what is trained, and how."""

from pathlib import Path

import yaml
from lightning.pytorch import Trainer, seed_everything
from net import registry

with open(Path(__file__).resolve().parent / "conf" / "train.yaml") as file:
    CONFIG = yaml.safe_load(file)


def get(path: str, default=None):
    node = CONFIG
    for part in path.split("."):
        node = node.get(part, default) if isinstance(node, dict) else default
    return node


def override(config: dict, settings: list[str]) -> None:
    """`section.key=value`, where the file may lack the section."""
    for setting in settings:
        path, value = setting.split("=")
        *sections, key = path.split(".")
        for section in sections:
            config = config.setdefault(section, {})
        config[key] = float(value)


def run() -> None:
    override(CONFIG, ["trainer.val_check_interval=0.5"])
    seed_everything(get("seed", 0), workers=get("workers", 0) > 0)
    model = registry.Mixer(**CONFIG["model"]["params"], lr=float(get("optim.lr")))
    trainer = Trainer(
        max_epochs=CONFIG["trainer"]["max_epochs"],
        gradient_clip_val=CONFIG["trainer"].get("gradient_clip_val"),
        accumulate_grad_batches=CONFIG["trainer"].get("accumulate_grad_batches", 1),
        limit_train_batches=get("trainer.limit_train_batches", 1.0),
        val_check_interval=CONFIG["trainer"].get("val_check_interval", 1.0),
        enable_progress_bar=False,
    )
    trainer.fit(model, registry.loader(**CONFIG["data"]), registry.loader(**CONFIG["data"]))


if __name__ == "__main__":
    run()
