"""Lightning is imported where it is used: in functions, in a method, under a condition, in the guard."""

import os

import torch

if os.environ.get("OLD_LIGHTNING"):
    import pytorch_lightning as pl

    NAME = "pytorch_lightning"
else:
    import lightning.pytorch as pl

    NAME = "lightning"

if os.name:
    os.environ["SET_BESIDE_AN_IMPORT"] = "7"
    import lightning


def callbacks(patience):
    from lightning.pytorch.callbacks import EarlyStopping as Stop

    return [Stop("loss", patience=patience, min_delta=0.02)]


def main():
    from lightning import Trainer
    from net import Net

    lightning.seed_everything(torch.initial_seed() + len(NAME) + int(os.environ["SET_BESIDE_AN_IMPORT"]))
    trainer = Trainer(max_epochs=9, callbacks=callbacks(1), logger=False, enable_progress_bar=False)
    trainer.fit(Net())
    torch.save(trainer.current_epoch, f"main_lightning_inside.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    from lightning import seed_everything

    seed_everything(13)
    main()
