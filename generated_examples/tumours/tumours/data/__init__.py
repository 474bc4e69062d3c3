from .cells import CellData

__all__ = ["CellData"]
