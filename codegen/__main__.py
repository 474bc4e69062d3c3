"""Where a process of ddpgen's starts: `ddpgen`, or `python -m ddpgen`."""

import gc
import os
import sys


def run() -> None:
    """The command line."""
    # the user's folder, where a file may be called json.py
    if sys.path[0] == "" or sys.path[0] == os.getcwd():
        del sys.path[0]
    gc.disable()  # a build is over before garbage matters, and collecting it takes a tenth of the time

    from .cli import main

    main(prog_name="ddpgen")


if __name__ == "__main__":
    run()
