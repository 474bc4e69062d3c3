"""Runs a script: `count_graphs.py SCRIPT OPTIONS`, and prints how many graphs torch made, and what broke them."""

import json
import runpy
import sys

from torch._dynamo.utils import counters

sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
print(
    json.dumps(
        {"graphs": counters["stats"]["unique_graphs"], "breaks": sum(counters["graph_break"].values())}
    )
)
