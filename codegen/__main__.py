"""Where a process of ddpgen's starts: `ddpgen`, or `python -m ddpgen`."""

import atexit
import gc
import os
import sys


def run() -> None:
    """The command line."""
    # the user's folder, where a file may be called json.py
    if sys.path[0] == "" or sys.path[0] == os.getcwd():
        del sys.path[0]
    # a process lasts for one command: looking for garbage, also at its end, would take a quarter of the time
    gc.disable()
    atexit.register(gc.freeze)

    from .cli import main

    main(prog_name="ddpgen")


if __name__ == "__main__":
    run()
