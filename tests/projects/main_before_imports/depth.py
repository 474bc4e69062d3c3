import os

DEPTH = int(os.environ.get("DEPTH", "0"))
