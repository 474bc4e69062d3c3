import os

RATE = float(os.environ.get("RATE", "0.5"))
WIDTH = int(os.environ.get("WIDTH", "3"))
