import sys

HALF = 0.5
sys.modules[__name__].__dict__["DOUBLE"] = 2.0
