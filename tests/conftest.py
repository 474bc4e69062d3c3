"""For every test: one thread a process."""

import os

# two test workers and their processes share the cores
os.environ.setdefault("OMP_NUM_THREADS", "1")
