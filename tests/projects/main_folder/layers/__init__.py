import importlib
import pkgutil

from layers.table import LAYERS  # noqa: F401

for _, name, is_package in pkgutil.iter_modules(__path__):
    if not is_package:
        importlib.import_module(f"{__name__}.{name}")
