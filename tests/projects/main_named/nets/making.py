"""Classes by names in other forms."""

from importlib import import_module


def build(config, **given):
    """`{"type": "module:Class", ...}`, with the arguments beside the name."""
    config = dict(config)
    path, _, name = config.pop("type").partition(":")
    return getattr(import_module(path), name)(**config, **given)


def loss_of(name):
    """A function by its name, of this project or of torch."""
    parts = name.split(".")
    module = import_module(".".join(parts[:-1]))
    return getattr(module, parts[-1])


def callback_of(config):
    kind = config["kind"] if "." in config["kind"] else f"lightning.pytorch.callbacks.{config['kind']}"
    options = {key: value for key, value in config.items() if key != "kind"}
    return loss_of(kind)(**options)


def bounded_by(family):
    """What a module has that a part of its name says."""
    module = import_module(f"nets.{family}")
    return module.Clamped, module.BOUNDS
