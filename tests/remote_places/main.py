"""Keeps the best checkpoints at a URL, and goes on from the last of them where it is told so."""

import sys

import lightning as L
from lightning.pytorch.callbacks import ModelCheckpoint
from model import Net

if __name__ == "__main__":
    L.seed_everything(5)
    model = Net()
    best = ModelCheckpoint(
        "s3://bucket/kept-" + sys.argv[1], monitor="val_loss", save_top_k=2, save_last=True
    )
    trainer = L.Trainer(max_epochs=3, callbacks=[best], logger=False, default_root_dir=sys.argv[2])
    trainer.fit(model, ckpt_path="last")
    (tested,) = trainer.test(model, model.val_dataloader(), ckpt_path="best")
    anew = Net.load_from_checkpoint(best.best_model_path)
    (again,) = trainer.test(anew, model.val_dataloader())
    assert tested == again
