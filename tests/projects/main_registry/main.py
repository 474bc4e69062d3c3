"""Classes by their names: entered in tables by decorators, and asked of their module."""

import importlib

import layers  # noqa: F401 -- fills a table
import lightning as L
from nets import net
from registry import DATA, MODELS


def model_by(how, name, **options):
    if how == "table":
        return MODELS.build(name, **options)
    if how == "module":
        if not hasattr(net, name) or hasattr(net, name + "s") or not hasattr(net, "RATE"):
            raise ValueError(f"what is {name}?")
        return getattr(net, name)(**options)
    module = importlib.import_module("nets.net")
    return getattr(module, name, None)(**options)


def main():
    L.seed_everything(3)
    for how in ("table", "module", "import"):
        trainer = L.Trainer(max_epochs=2, enable_progress_bar=False, logger=False)
        trainer.fit(model_by(how, "Net", rate=0.2), datamodule=DATA.build("sums", size=4))


if __name__ == "__main__":
    main()
