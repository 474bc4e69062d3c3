import importlib


def made(kind):
    module = importlib.import_module(f"nets.{kind}")
    return module.Net()
