"""A configuration alone names the model's module, which stands in a folder that the code adds to Python's path."""

import sys
from pathlib import Path

import hydra
import lightning as L

sys.path.append(str(Path(__file__).resolve().parents[1]))

from seeds import seed_all  # noqa: E402


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    seed_all()
    trainer = L.Trainer(max_epochs=cfg.epochs, logger=False)
    trainer.fit(hydra.utils.instantiate(cfg.model))


if __name__ == "__main__":
    main()
