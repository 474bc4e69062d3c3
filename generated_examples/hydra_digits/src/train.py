"""Train as the configuration says: `python src/train.py model.lr=0.01 trainer.max_epochs=5`."""

import hydra
import lightning as L
from omegaconf import DictConfig, OmegaConf

from src.data.digits_data import DigitsData
from src.models.digits_module import DigitsModule


def train(cfg: DictConfig) -> dict[str, float]:
    """Returns the metrics of the last epoch."""
    if cfg.get("seed") is not None:
        L.seed_everything(cfg.seed, workers=True)
    data = DigitsData(**cfg.data)
    net = hydra.utils.instantiate(cfg.model.net)
    model = DigitsModule(net, lr=cfg.model.lr, weight_decay=cfg.model.weight_decay)
    trainer = L.Trainer(
        accelerator="auto",
        devices="auto",
        strategy="ddp",
        max_epochs=cfg.trainer.max_epochs,
        gradient_clip_val=cfg.trainer.gradient_clip_val,
        default_root_dir=cfg.paths.output_dir,
        log_every_n_steps=cfg.trainer.log_every_n_steps,
    )
    trainer.fit(model=model, datamodule=data, ckpt_path=cfg.get("ckpt_path"))
    return {name: value.item() for name, value in trainer.callback_metrics.items()}


@hydra.main(version_base="1.3", config_path="../configs", config_name="train")
def main(cfg: DictConfig) -> None:
    print(OmegaConf.to_yaml(cfg))
    metrics = train(cfg)
    print("val_acc", round(metrics["val_acc"], 4))


if __name__ == "__main__":
    main()
