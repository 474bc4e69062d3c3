from .module import WaveData

__all__ = ["WaveData"]
