from .regressor import Regressor

__all__ = ["Regressor"]
