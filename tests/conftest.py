"""For every test: one thread a process, because two test workers and their processes share the cores."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
