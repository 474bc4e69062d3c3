"""A main of one's own, in which ModelCheckpoint keeps the best two and the newest."""

import lightning.pytorch as pl
from lightning.pytorch.callbacks import ModelCheckpoint
from model import Net


def main() -> None:
    pl.seed_everything(int("3"))
    saving = ModelCheckpoint("run", "{epoch}", "val_loss", save_top_k=2, save_last=True)
    trainer = pl.Trainer(max_epochs=4, logger=False, callbacks=[saving], log_every_n_steps=1)
    trainer.fit(Net())


if __name__ == "__main__":
    main()
