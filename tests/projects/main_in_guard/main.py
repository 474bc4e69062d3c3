"""All of it in the guard: modules that are imported there, and what a main asks its trainer for afterwards."""

import importlib
import os

import lightning as L
import torch
from lightning.pytorch.trainer.states import TrainerStatus

if __name__ == "__main__":
    import nets.model
    import nets.layers as layers

    found = importlib.import_module("nets.model")
    rank = os.environ.get("RANK", "0")

    L.seed_everything(5)
    trainer = L.Trainer(max_epochs=2, devices=int(os.environ.get("WORLD_SIZE", "1")), logger=False, accelerator=os.environ.get("ACCELERATOR", "cpu"), precision="64-true")
    assert trainer.state.status == TrainerStatus.INITIALIZING
    assert not trainer.interrupted
    with trainer.init_module():
        source = nets.model.Classifier(hidden=len(layers.samples(6)))
    with trainer.init_module(empty_init=True):
        model = nets.model.Classifier(hidden=len(layers.samples(6)))
        drawn = torch.rand(2)
    assert torch.get_default_dtype() == torch.float32
    model.load_state_dict(source.state_dict())
    data = found.Digits()
    trainer.fit(model, data)
    done = [trainer.state.finished, trainer.state.status == "finished", trainer.state.stopped, trainer.interrupted]
    if trainer.state.finished:
        done.append(trainer.test(model, datamodule=data)[0])
    predicted = trainer.predict(model, datamodule=data)
    import torch.utils.data
    import torch

    results = {"done": done, "seen": model.seen, "first": dict(model.hparams_initial), "predicted": predicted, "drawn": drawn}
    torch.save(results, f"main_in_guard.{rank}.results.pt")
