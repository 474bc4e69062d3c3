"""Threads that callbacks start with the trainer: what they only read of it is known, all else stops the build."""

from __future__ import annotations

from pathlib import Path

import pytest
from ddpgen import build
from ddpgen.diagnostics import CompileError

MAIN = """
import threading

import lightning as L
import torch
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def train_dataloader(self):
        return DataLoader(torch.ones(4, 4))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def told(trainer, stop):
    print(trainer.current_epoch)


class Watch(L.Callback):
    def on_fit_start(self, trainer, pl_module):
        self.stop = threading.Event()
        threading.Thread(THREAD).start()

    def loop(self, trainer, stop):
        while not stop.wait(0.1):
            LOOP

    def on_fit_end(self, trainer, pl_module):
        self.stop.set()


trainer = L.Trainer(max_epochs=2, logger=False, callbacks=[Watch()])
trainer.fit(Net())
"""

OWN = "target=self.loop, args=(trainer, self.stop)"
READ = {
    "a method": (OWN, "print(trainer.global_step)"),
    "a function": ("target=told, args=[trainer, self.stop], daemon=True", "pass"),
    "a function within": (OWN, "print((lambda: trainer.current_epoch)())"),
}
BEYOND = {
    "it sets something": (OWN, "trainer.should_stop = True"),
    "it sets a counter": (OWN, "trainer.max_epochs += 1"),
    "it calls a method": (OWN, "trainer.save_checkpoint('x.ckpt')"),
    "it asks for what takes all ranks": (OWN, "print(trainer.callback_metrics)"),
    "it hands it on": (OWN, "print(trainer)"),
    "it has another one": (OWN, "trainer = trainer.model.trainer"),
    "an unknown function": ("target=getattr(self, input()), args=(trainer, self.stop)", "pass"),
    "one of a library": ("target=print, args=(trainer,)", "pass"),
    "an unknown place": ("target=self.loop, args=(*[], trainer, self.stop)", "print(trainer.global_step)"),
    "by its name": ("target=self.loop, kwargs={'trainer': trainer, 'stop': self.stop}", "pass"),
}


def script(folder: Path, thread: str, loop: str) -> str:
    file = folder / "main.py"
    file.write_text(MAIN.replace("THREAD", thread).replace("LOOP", loop))
    return build(file, "ddp")


@pytest.mark.parametrize(("thread", "loop"), READ.values(), ids=READ.keys())
def test_what_a_thread_reads(tmp_path: Path, thread: str, loop: str) -> None:
    text = script(tmp_path, thread, loop)
    assert "trainer.global_step = " in text or "trainer.current_epoch = " in text


@pytest.mark.parametrize(("thread", "loop"), BEYOND.values(), ids=BEYOND.keys())
def test_what_else_a_thread_may_do(tmp_path: Path, thread: str, loop: str) -> None:
    with pytest.raises(CompileError) as refused:
        script(tmp_path, thread, loop)
    assert "trainer-as-value" in {each.code for each in refused.value.diagnostics}
