"""Lightning leaves a model on the CPU (2.7): so does the script, where its main, or a hook, goes on with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

SOURCE = """\
import lightning as L
import torch
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()

    def test_step(self, batch, batch_idx):
        self.log("test", self.layer(batch).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
{more}

def loader():
    return DataLoader(torch.ones(8, 4))


def size_of(net):
    return sum(each.numel() for each in net.parameters())


def main():
    model = Net()
    print(next(model.parameters()).sum())
    trainer = L.Trainer(max_epochs=1)
    {body}


if __name__ == "__main__":
    main()
"""
FIT = "trainer.fit(model, loader())"
TEST = "trainer.test(model, loader())"
AGAIN = f"""\
for _ in range(2):
        print(model.layer(torch.ones(4)))
        trainer = L.Trainer(max_epochs=1)
        {FIT}"""
STAYS = {
    "nothing more": FIT,
    "an evaluation": f"{FIT}\n    {TEST}",
    "before it": f"model.eval()\n    torch.save(model.state_dict(), 'first.pt')\n    {FIT}",
    "its checkpoint, before": f"trainer.save_checkpoint('first.ckpt')\n    {FIT}",
    "its file": f"{FIT}\n    print(trainer.checkpoint_callback.best_model_path)",
}
GOES_ON = {
    "a call": f"{FIT}\n    print(model.layer(torch.ones(4)))",
    "of what it gives": f"{FIT}\n    torch.save(model.state_dict(), 'last.pt')",
    "a library's": f"{FIT}\n    torch.save(model, 'last.pt')",
    "a function's": f"{FIT}\n    print(size_of(model))",
    "a trainer's": f"{FIT}\n    print(next(trainer.model.parameters()).device)",
    "one of several": "models = [model]\n    trainer.fit(models[0], loader())\n    print(models[0].layer)",
    "what a function trains": f"trained = (lambda: model)\n    {FIT}\n    print(trained().layer(torch.ones(4)))",
    "a part": f"layer = model.layer\n    {FIT}\n    print(layer(torch.ones(4)))",
    "after a test": f"{TEST}\n    print(model.layer.weight.numpy(force=True))",
    "in a loop": AGAIN,
    "its checkpoint": f"{FIT}\n    trainer.save_checkpoint('last.ckpt')",
    "a library's network": f"""\
import timm
    model.net = net = timm.create_model("resnet18")
    {FIT}
    torch.save(net.state_dict(), "last.pt")""",
}
HOOKS = {
    "on_fit_end": "\n    def on_fit_end(self):\n        print(self.layer.weight.device)\n",
    "teardown": "\n    def teardown(self, stage):\n        print(self.layer.weight.device)\n",
}


def script_of(folder: Path, body: str, more: str = "") -> str:
    source = folder / "net.py"
    source.write_text(SOURCE.replace("{body}", body).replace("{more}", more))
    result = CliRunner().invoke(main, ["build", str(source)], catch_exceptions=False)
    assert not result.exit_code, result.output
    return (folder / "train_ddp.py").read_text()


@pytest.mark.parametrize("name", STAYS)
def test_nothing_goes_on_with_it(name: str, tmp_path: Path) -> None:
    assert "model.cpu()" not in script_of(tmp_path, STAYS[name])


@pytest.mark.parametrize("name", GOES_ON)
def test_the_main_goes_on_with_it(name: str, tmp_path: Path) -> None:
    assert "model.cpu()" in script_of(tmp_path, GOES_ON[name])


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_goes_on_with_it(name: str, tmp_path: Path) -> None:
    before, _, after = script_of(tmp_path, FIT, HOOKS[name]).partition(
        "    model.cpu()  # for what goes on with it\n"
    )
    assert after.startswith(f"    model.{name}(")
    assert f"model.{name}(" not in before


NETWORK = """\
import lightning as L
import torch
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self, layer, width):
        super().__init__()
        self.layer = layer

    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


layer, width = torch.nn.Linear(4, 1), 4
L.Trainer(max_epochs=1).fit(Net(layer, width), DataLoader(torch.ones(8, 4)))
"""


@pytest.mark.parametrize("use", ["print(layer(torch.ones(4)))", "torch.save(layer.state_dict(), 'layer.pt')"])
def test_the_main_goes_on_with_a_part(use: str, tmp_path: Path) -> None:
    for more in (f"{use}\n", "print(width)\n"):
        (tmp_path / "net.py").write_text(NETWORK + more)
        result = CliRunner().invoke(
            main, ["build", str(tmp_path / "net.py"), "--force"], catch_exceptions=False
        )
        assert not result.exit_code, result.output
        assert ("model.cpu()" in (tmp_path / "train_ddp.py").read_text()) == (use in more)


def test_the_device_that_it_tells(tmp_path: Path) -> None:
    script = script_of(tmp_path, f"{FIT}\n    print(model.device)")
    assert 'model.cpu()  # for what goes on with it\n    model.device = torch.device("cpu")\n' in script
