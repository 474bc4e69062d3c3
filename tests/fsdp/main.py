"""Trains, and goes on to evaluate what it has trained, as it is and from a checkpoint."""

import json
from pathlib import Path

import lightning as L
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from model import Net


class Evaluated(Net):
    def test_step(self, batch, batch_idx):
        self.log("test_loss", self(batch[0]).square().mean(), sync_dist=True)

    def predict_step(self, batch, batch_idx):
        return self(batch[0])


if __name__ == "__main__":
    L.seed_everything(1)
    model = Evaluated()
    callbacks = [
        ModelCheckpoint("kept", monitor="val_loss", mode="max", save_top_k=2, save_weights_only=True),
        EarlyStopping("val_loss", patience=1, min_delta=0.5),
    ]
    trainer = L.Trainer(max_epochs=6, callbacks=callbacks)
    trainer.fit(model)
    loader = model.val_dataloader()
    best = trainer.checkpoint_callback.best_model_path
    found = {
        "validated": trainer.validate(model, loader),
        "tested": trainer.test(model, loader),
        "best": trainer.test(model, loader, ckpt_path=best),
        "predicted": [each.tolist() for each in trainer.predict(model, loader)],
        "epochs": trainer.current_epoch,
        "name": Path(best).name,
        "anew": trainer.test(Evaluated.load_from_checkpoint(best), loader),
    }
    if trainer.is_global_zero:
        Path("found.json").write_text(json.dumps(found))
