import importlib
import os

from nets.table import NETS, register  # noqa: F401

FOLDER = os.path.dirname(os.path.abspath(__file__))

for file in os.listdir(FOLDER):
    if not file.startswith("_") and file.endswith(".py"):
        importlib.import_module(f"nets.{file[:-3]}")
